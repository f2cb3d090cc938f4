"""Fuzzy matching of typed letters with words.

Whole words count most, then beginnings of words, then letters inside words. Beginnings of several
words typed without blanks, and words of which letters are left out, are for when no word matches,
and scattered letters for when nothing else does.

Textual's own matcher tries every way to place the letters in the words; for a long title there are
millions.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise, takewhile
from typing import NamedTuple

_WORD = re.compile(r"\w+")

WHOLE, BEGINNING, INSIDE, INITIALS = 6, 4, 3, 3
"""Score per letter of a whole word, of the beginning of one, of letters inside one, and of the
beginnings of several, or of one of which letters are left out."""

WORDS, SEVERAL, NOISE = 2, 1, 0
"""Levels of matches: of words, of the beginnings of several or shortened ones, and of letters that
may be there by coincidence."""

MIN_INSIDE = 4
"""Minimum letters inside a word that are no coincidence."""

MIN_SHORTENED = 3
"""Minimum letters that are taken for a word of which others are left out."""

MAX_SKIPPED = 2
"""Maximum words between two of which the beginnings are typed, such as "the"."""

MAX_SPREAD = 2.5
"""Maximum spread of scattered letters, in characters per typed letter; wider matches mislead."""


class Fit(NamedTuple):
    """The quality of a match.

    Attributes:
        score: higher is better.
        places: the matched characters.
        level: one of `WORDS`, `SEVERAL` and `NOISE`; it only counts if none is higher.
    """

    score: float
    places: tuple[int, ...]
    level: int = WORDS


def fit(typed: str, words: str, own: int = 0) -> Fit | None:
    """Match typed text with words.

    Each part of the text, separated by blanks, must occur in the words, either contiguously or with
    its letters in order.

    Args:
        typed: the text, in any case.
        words: the words to search in.
        own: number of characters that are the name itself, which counts more than what follows; 0
            if all are.

    Returns:
        The match, or None.
    """
    lowered = words.lower()
    if len(lowered) != len(words):  # lower case of another length would shift all positions
        lowered = words
    own = own or len(lowered)
    known: list[Fit] = []
    for part in typed.lower().split():
        found = _fit_part(part, lowered, own)
        if found is None:
            return None
        known.append(found)
    is_beside = all(found.places[0] >= own for found in known)
    return Fit(
        sum(found.score for found in known) - len(lowered) / 1000,
        tuple(sorted({place for found in known for place in found.places})),
        NOISE if is_beside else min(found.level for found in known),
    )


def _fit_part(part: str, words: str, own: int) -> Fit | None:
    at = words.find(part)
    if at < 0:
        several = (_initials(part, words[:own]), _shortened(part, words[:own]))
        return max(filter(None, several), default=None) or _nearest(part, words)
    places = [found.start() for found in re.finditer(re.escape(part), words)]
    return max(_in_one_piece(part, words, at, own) for at in places)


def _in_one_piece(part: str, words: str, at: int, own: int) -> Fit:
    end = at + len(part)
    begins = _is_edge(words, at)
    ends = _is_edge(words, end) or (words[end] == "s" and _is_edge(words, end + 1))  # a plural
    each = WHOLE if begins and ends else BEGINNING if begins else INSIDE
    if at >= own:
        each = min(each, INSIDE)
    level = WORDS if begins or len(part) >= MIN_INSIDE else NOISE
    return Fit(each * len(part) + (at == 0), tuple(range(at, end)), level)


def _is_edge(words: str, at: int) -> bool:
    """Return whether a word begins or ends here, at punctuation or a blank."""
    around = words[max(0, at - 1) : at + 1]
    return at in (0, len(words)) or not all(_WORD.match(letter) for letter in around)


def _initials(part: str, words: str) -> Fit | None:
    """Match the beginnings of several words in order, as in `opfo` for "open the folder"."""
    starts = [found.start() for found in _WORD.finditer(words)]

    @cache
    def match(typed: int, word: int) -> tuple[int, ...] | None:
        if typed == len(part):
            return ()
        last = len(starts) if word == 0 else min(len(starts), word + MAX_SKIPPED + 1)
        for later in range(word, last):
            at, most = starts[later], 0
            while part[typed + most : typed + most + 1] == words[at + most : at + most + 1] != "":
                most += 1
            for length in range(most, 0, -1):
                rest = match(typed + length, later + 1)
                if rest is not None:
                    return (*range(at, at + length), *rest)
        return None

    places = match(0, 0) if any(words[start] == part[0] for start in starts) else None
    return None if places is None else Fit(INITIALS * len(part), places, SEVERAL)


def _shortened(part: str, words: str) -> Fit | None:
    """Match a word of which letters are left out, but not the first, as in `rsme` for "resume"."""
    if len(part) < MIN_SHORTENED:
        return None
    ways: list[Fit] = []
    for found in _WORD.finditer(words):
        if found[0][0] == part[0] and (
            places := _scattered(part, words[: found.end()], found.start())
        ):
            left_out = places[-1] + 1 - places[0] - len(part)
            score = INITIALS * len(part) - left_out / 2 + (found.start() == 0)
            ways.append(Fit(score, places, SEVERAL))
    return max(ways, default=None)


def _nearest(part: str, words: str) -> Fit | None:
    """Match letters in order that are near each other, the first of a word first."""
    starts = (n for n in range(len(words)) if words[n] == part[0] and _is_edge(words, n))
    placements = (_scattered(part, words, start) for start in starts)
    near = (way for way in takewhile(bool, placements) if way[-1] - way[0] < MAX_SPREAD * len(way))
    return max((Fit(_score(way, words), way, NOISE) for way in near), default=None)


def _scattered(part: str, words: str, first: int) -> tuple[int, ...]:
    """Return the positions of letters, each at its next occurrence; empty if one is missing."""
    places = [first]
    for letter in part[1:]:
        place = words.find(letter, places[-1] + 1)
        if place < 0:
            return ()
        places.append(place)
    return tuple(places)


def _score(places: tuple[int, ...], words: str) -> float:
    """Return a score that rewards word beginnings and adjacent letters, and penalizes gaps."""
    adjacent = sum(b == a + 1 for a, b in pairwise(places))
    gaps = len(places) - 1 - adjacent
    first_letters = sum(_is_edge(words, place) for place in places)
    return len(places) + first_letters + adjacent - gaps / 2
