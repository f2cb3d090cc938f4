"""Which words of two lines that stand for each other are different."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache

WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
"""A word, a run of blanks, or a single sign: what a reader takes in as one."""

ALIKE = 0.5
"""Lines with less in common (0 to 1) are different lines, and nothing in them is singled out."""

MOST_CHARS = 400
"""Longer lines are not looked into."""

Span = tuple[int, int]


@lru_cache(4096)
def changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Spans of characters, of the old line and of the new, that the other does not have.

    Both are empty when the lines have too little in common for that to say anything.
    """
    if max(len(old), len(new)) > MOST_CHARS or not old.strip() or not new.strip():
        return (), ()
    before, after = WORD.findall(old), WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    blocks = matcher.get_matching_blocks()
    same = sum(len("".join(before[block.a : block.a + block.size])) for block in blocks)
    if 2 * same < ALIKE * (len(old) + len(new)):
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
