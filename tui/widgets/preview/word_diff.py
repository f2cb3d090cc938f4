"""The words that differ between a line and its replacement."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache

WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
"""A word, a run of white space, or any other single character."""

MIN_SIMILARITY = 0.5
"""Lines less similar than this (0 to 1) have too little in common to compare their words."""

MAX_LINE_CHARS = 400
"""Longer lines are not compared."""

Span = tuple[int, int]


@lru_cache(4096)
def changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return the spans of the old and the new line that the other does not have, in characters.

    Both are empty if the lines have too little in common.
    """
    if max(len(old), len(new)) > MAX_LINE_CHARS or not old.strip() or not new.strip():
        return (), ()
    before, after = WORD.findall(old), WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    blocks = matcher.get_matching_blocks()
    same = sum(len("".join(before[block.a : block.a + block.size])) for block in blocks)
    if 2 * same < MIN_SIMILARITY * (len(old) + len(new)):
        return (), ()
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        _spans(before, [(code[1], code[2]) for code in codes]),
        _spans(after, [(code[3], code[4]) for code in codes]),
    )


def _spans(words: list[str], ranges: list[Span]) -> tuple[Span, ...]:
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return tuple((starts[first], starts[last]) for first, last in ranges if last > first)
