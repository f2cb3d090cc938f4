"""Well-formed files to import that are made to be expensive in time, memory or both.

Each has a size that users do share, and is expensive once it is imported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path


def asciicast(path: Path, entries: Iterable[tuple[float, str, str]], cols: int = 80) -> Path:
    """A recording in version 2 of the format: time, code and data of each line."""
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps({"version": 2, "width": cols, "height": 24}) + "\n")
        for entry in entries:
            file.write(json.dumps(entry) + "\n")
    return path


def _sizes(path: Path) -> Path:
    """20,000 resizes of a terminal full of text."""

    def entries() -> Iterator[tuple[float, str, str]]:
        yield 0.0, "o", "words and more words " * 5_000
        for n in range(20_000):
            yield n * 0.01, "r", f"{1 + n * 7919 % 1000}x{1 + n * 104729 % 1000}"
            yield n * 0.01, "o", "x\r\n"

    return asciicast(path, entries())


def _repeats(path: Path) -> Path:
    """Characters, lines, scrolls and insertions, each repeated a huge number of times."""
    forms = ("x\x1b[{}b", "\x1b[{}L", "\x1b[{}M", "\x1b[{}S", "\x1b[{}T", "\x1b[{}@", "\x1b[{}P",
             "\x1b[{}X", "\x1b[{}I", "\x1b[{}Z", "\x1b[{}B", "\x1b[{}C", "\x1b[{}E", "\x1b#8\x1b[{}d")  # fmt: skip
    data = "".join(form.format(n) for form in forms for n in (999, 65535, 2147483647, 10**18))
    return asciicast(path, ((n * 0.01, "o", data) for n in range(100)), cols=1000)


def _combining(path: Path) -> Path:
    """20,000 combining marks on one cell, many times over."""
    return asciicast(path, ((n * 0.1, "o", "a" + "\u0301" * 20_000) for n in range(200)))


def _scrollback(path: Path) -> Path:
    """More than a million lines of one character, which scroll by."""
    return asciicast(path, ((n * 0.1, "o", "x\r\n" * 20_000) for n in range(80)))


def _one_line(path: Path) -> Path:
    """One line of 4 MiB, in one piece."""
    return asciicast(path, [(0.0, "o", "x" * (4 << 20))])


def _looks(path: Path) -> Path:
    """Each cell in a different colour."""

    def screen(n: int) -> str:
        numbers = range(n * 1920, (n + 1) * 1920)
        return "".join(f"\x1b[38;2;{i >> 16 & 255};{i >> 8 & 255};{i & 255}mx" for i in numbers)

    return asciicast(path, ((n * 0.1, "o", screen(n)) for n in range(80)))


def _times(path: Path) -> Path:
    """Thirty years in eleven lines, then a thousand lines at the same time."""
    years = [(n * 1e8, "o", f"{n}\r\n") for n in range(11)]
    return asciicast(path, [*years, *((1e9, "o", "now\r\n") for _ in range(1_000))])


def _steps(path: Path) -> Path:
    """More steps than anybody reads."""
    steps = [
        {
            "thought": f"step {n}",
            "action": {"function": "execute_bash", "parameters": {"command": f"make part{n}"}},
            "observation": f"Exit code: 0\nExecution output of [execute_bash]:\npart {n}\n",
        }
        for n in range(3_000)
    ]
    path.write_text(json.dumps({"problem_statement": "x", "steps": steps}))
    return path


def _deep_arguments(path: Path) -> Path:
    """Arguments with nested lists, nested objects, or a missing end."""
    texts = [
        text
        for depth in (90, 1_000, 20_000)
        for text in (
            "[" * depth + "]" * depth,
            '{"command":' * depth + "1" + "}" * depth,
            "[" * depth,
        )
    ]
    steps = [
        {"thought": text, "action": {"function": name, "parameters": text}, "observation": text}
        for name in ("execute_bash", "str_replace_editor", "submit", "unknown")
        for text in texts
    ]
    path.write_text(json.dumps({"problem_statement": "x", "steps": steps}))
    return path


def _long_names(path: Path) -> Path:
    """300,000 characters in every field where a word or a line is expected."""
    long = "é" * 300_000
    step = {
        "thought": long,
        "action": {"function": long, "parameters": {long: 1}},
        "observation": long,
    }
    document = {"problem_statement": long, "steps": [step], "metadata": {"model": long}}
    path.write_text(json.dumps(document, ensure_ascii=False))
    return path


CRAFTED: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "sizes": ("x.cast", _sizes),
    "repeats": ("x.cast", _repeats),
    "combining": ("x.cast", _combining),
    "scrollback": ("x.cast", _scrollback),
    "one line": ("x.cast", _one_line),
    "looks": ("x.cast", _looks),
    "times": ("x.cast", _times),
    "steps": ("x.json", _steps),
    "deep arguments": ("x.json", _deep_arguments),
    "long names": ("x.json", _long_names),
}
"""File name, and the function that creates the file."""
