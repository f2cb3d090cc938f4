"""Fuzzy matching of typed letters with words.

Textual's own matcher tries every way to place the letters in the words; for a long title there are
millions.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile
from typing import NamedTuple

_WORD = re.compile(r"\w+")

MAX_SPREAD = 4
"""Maximum spread of scattered letters, in characters per typed letter; wider matches are noise."""


class Fit(NamedTuple):
    """The quality of a match.

    Attributes:
        score: higher is better.
        places: the matched characters.
    """

    score: float
    places: tuple[int, ...]


def fit(typed: str, words: str) -> Fit | None:
    """Match typed text with words.

    Each part of the text, separated by blanks, must occur in the words, either contiguously or with
    its letters in order.

    Args:
        typed: the text, in any case.
        words: the words to search in.

    Returns:
        The match, or None.
    """
    lowered = words.lower()
    if len(lowered) != len(words):  # lower case of another length would shift all positions
        lowered = words
    starts = frozenset(found.start() for found in _WORD.finditer(lowered))
    fits = [_fit_part(part, lowered, starts) for part in typed.lower().split()]
    known = [found for found in fits if found is not None]
    if len(known) < len(fits):
        return None
    score = sum(found.score for found in known) - len(lowered) / 1000
    return Fit(score, tuple(sorted({place for found in known for place in found.places})))


def _fit_part(part: str, words: str, starts: frozenset[int]) -> Fit | None:
    starts_at = [found.start() for found in re.finditer(re.escape(part), words)]
    if starts_at:
        at = next((place for place in starts_at if place in starts), starts_at[0])
        factor = 4 if at in starts else 3
        return Fit(factor * len(part) + (at == 0), tuple(range(at, at + len(part))))
    placements = (_scattered(part, words, n) for n, letter in enumerate(words) if letter == part[0])
    near = (way for way in takewhile(bool, placements) if way[-1] - way[0] < MAX_SPREAD * len(way))
    fits = [Fit(_score(way, starts), way) for way in near]
    return max(fits, default=None)


def _scattered(part: str, words: str, first: int) -> tuple[int, ...]:
    """Return the positions of letters, each at its next occurrence; empty if one is missing."""
    places = [first]
    for letter in part[1:]:
        place = words.find(letter, places[-1] + 1)
        if place < 0:
            return ()
        places.append(place)
    return tuple(places)


def _score(places: tuple[int, ...], starts: frozenset[int]) -> float:
    """Return a score that rewards word beginnings and adjacent letters, and penalizes gaps."""
    adjacent = sum(b == a + 1 for a, b in pairwise(places))
    gaps = len(places) - 1 - adjacent
    return len(places) + sum(place in starts for place in places) + adjacent - gaps / 2
