"""What differs between two versions of a call: line by line, and in a few words.

The text is untrusted: sanitize it before showing it.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments

MAX_COMPARED_LINES = 2_000
"""Longer texts count as replaced as a whole: comparing takes quadratic time."""

MAX_LINE_CHARACTERS = 400
"""Maximum characters of a line whose words are compared."""

MAX_WIDENED = 16
"""A change shorter than this is shown with the rest of its word, such as print(42)."""

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)


_SIGNS: tuple[Literal["-"], Literal["+"]] = ("-", "+")


class DifferingLine(NamedTuple):
    """A line of only one of two versions."""

    sign: Literal["-", "+"]
    text: str


class _Hunk(NamedTuple):
    """Adjacent lines that were replaced by others; one side may be empty."""

    removed: Sequence[str]
    added: Sequence[str]


def differing_lines(old: str, new: str) -> list[DifferingLine]:
    """Return the lines that differ between two versions of a call's arguments (JSON text), each
    directly before the one that replaces it: the first few show both versions."""
    return [
        DifferingLine(sign, line)
        for hunk in _hunks(old, new)
        for pair in zip_longest(hunk.removed, hunk.added)
        for sign, line in zip(_SIGNS, pair, strict=True)
        if line is not None
    ]


def difference_words(old: str, new: str, most_removed: int = MAX_LINE_CHARACTERS) -> str:
    """Return the first difference in a few words, such as `42 → 99`, with the number of further
    lines that differ; empty if the arguments (JSON text) are the same.

    Args:
        old, new: the arguments.
        most_removed: maximum characters of the text before the arrow.
    """
    hunks = list(_hunks(old, new))
    if not hunks:
        return ""
    lines = sum(max(len(hunk.removed), len(hunk.added)) for hunk in hunks)
    more = "" if lines == 1 else f" and {lines - 1} more {'line' if lines == 2 else 'lines'}"
    return _words_of(hunks[0], most_removed) + more


def _words_of(hunk: _Hunk, most_removed: int) -> str:
    removed, added = (lines[0].strip() if lines else "" for lines in hunk)
    if removed and added:
        removed, added = _changed_parts(removed, added)
    if removed and added:
        is_cut = len(removed) > most_removed
        kept = f"{removed[: most_removed - 1].rstrip()}…" if is_cut else removed
        return f"{kept} → {added}"
    return f"added {added}" if added else f"removed {removed}" if removed else "white space"


def _changed_parts(old: str, new: str) -> tuple[str, str]:
    """Return what the two lines do not begin and end with in common, in whole words."""
    old, new = old[:MAX_LINE_CHARACTERS], new[:MAX_LINE_CHARACTERS]
    before, after = _WORD.findall(old), _WORD.findall(new)
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    first, last = len("".join(before[:start])), len("".join(before[len(before) - end :]))
    removed, added = old[first : len(old) - last].strip(), new[first : len(new) - last].strip()
    head = re.findall(r"\S*\Z", old[:first])[0]
    tail = re.findall(r"\A\S*", old[len(old) - last :])[0]
    longest = max(len(removed), len(added)) + len(head) + len(tail)
    if not removed or not added or longest > MAX_WIDENED:
        return removed, added
    return head + removed + tail, head + added + tail


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal words at the start of both."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (left, right) in pairs if left != right), min(len(one), len(other)))


def _hunks(old: str, new: str) -> Iterator[_Hunk]:
    before, after = _fields(old), _fields(new)
    several = len(before.keys() | after.keys()) > 1
    for name in dict.fromkeys([*before, *after]):
        mine, theirs = _lines(before, name), _lines(after, name)
        if mine == theirs:
            continue
        if several and max(len(mine), len(theirs)) <= 1:  # a path means little without its name
            mine, theirs = ([f"{name}: {line}" for line in lines] for lines in (mine, theirs))
        yield from _changed(mine, theirs)


def _changed(old: Sequence[str], new: Sequence[str]) -> Iterator[_Hunk]:
    if max(len(old), len(new)) > MAX_COMPARED_LINES:
        yield _Hunk(old, new)
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, a_end, b, b_end in matcher.get_opcodes():
        if tag != "equal":
            yield _Hunk(old[a:a_end], new[b:b_end])


def _fields(arguments: str) -> dict[str, Any]:
    """Return the arguments by name; the text under an empty name if it is not a JSON object."""
    try:
        return parse_arguments(arguments)
    except ArgumentsError:
        return {"": arguments}


def _lines(fields: dict[str, Any], name: str) -> list[str]:
    if name not in fields:
        return []
    value = fields[name]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.split("\n")
