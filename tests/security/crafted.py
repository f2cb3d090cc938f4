"""Files to import that are whole, and made to cost whoever works with them: time, memory, or both.

Each is small or of a size that people do hand on; what it does, it does once it is imported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path


def asciicast(path: Path, entries: Iterable[tuple[float, str, str]], cols: int = 80) -> Path:
    """A recording, version 2: time, code and data of each line."""
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps({"version": 2, "width": cols, "height": 24}) + "\n")
        for entry in entries:
            file.write(json.dumps(entry) + "\n")
    return path


def _sizes(path: Path) -> Path:
    """20,000 changes of size, of a terminal that is full of text."""

    def entries() -> Iterator[tuple[float, str, str]]:
        yield 0.0, "o", "words and more words " * 5_000
        for n in range(20_000):
            yield n * 0.01, "r", f"{1 + n * 7919 % 1000}x{1 + n * 104729 % 1000}"
            yield n * 0.01, "o", "x\r\n"

    return asciicast(path, entries())


def _repeats(path: Path) -> Path:
    """Characters, lines, scrolls and insertions, each to be repeated without an end."""
    forms = ("x\x1b[{}b", "\x1b[{}L", "\x1b[{}M", "\x1b[{}S", "\x1b[{}T", "\x1b[{}@", "\x1b[{}P",
             "\x1b[{}X", "\x1b[{}I", "\x1b[{}Z", "\x1b[{}B", "\x1b[{}C", "\x1b[{}E", "\x1b#8\x1b[{}d")  # fmt: skip
    data = "".join(form.format(n) for form in forms for n in (999, 65535, 2147483647, 10**18))
    return asciicast(path, ((n * 0.01, "o", data) for n in range(100)), cols=1000)


def _combining(path: Path) -> Path:
    """20,000 marks on one cell, again and again."""
    return asciicast(path, ((n * 0.1, "o", "a" + "\u0301" * 20_000) for n in range(200)))


CRAFTED: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "sizes": ("x.cast", _sizes),
    "repeats": ("x.cast", _repeats),
    "combining": ("x.cast", _combining),
}
"""Name of the file, and what makes it."""
