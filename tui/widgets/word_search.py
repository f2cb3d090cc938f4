"""Where the words of a search occur; they are case-sensitive only if they contain capitals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rich.text import Text

_ROW_MARKS = " │↳"
"""What stands in front of a row that continues a line, besides its words."""


def has_capitals(words: str) -> bool:
    """Return whether a search for these words is case-sensitive."""
    return words != words.casefold()


def place_in(text: str, words: str) -> int:
    """Return the index of the first match in a text, or -1 for none."""
    if not words:
        return -1
    return text.find(words) if has_capitals(words) else text.casefold().find(words)


def has_words(text: str, words: str) -> bool:
    """Return whether a text contains the words."""
    return place_in(text, words) >= 0


def first_row_with(rows: Sequence[Text], words: str) -> int:
    """Return the index of the first row that contains the words; otherwise of the first one in
    which they begin if the next one continues them, or -1 for none."""
    if not words:
        return -1
    within = (at for at, row in enumerate(rows) if has_words(row.plain, words))
    at = next(within, -1)
    if at >= 0 or " " not in words:
        return at
    pairs = enumerate(pairwise(rows))
    return next((at for at, (one, other) in pairs if _continues(one, other, words)), -1)


def _continues(one: Text, other: Text, words: str) -> bool:
    joined = f"{one.plain.rstrip()} {other.plain.lstrip(_ROW_MARKS)}"
    return has_words(joined, words)
