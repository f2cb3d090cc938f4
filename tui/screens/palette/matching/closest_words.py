"""What may be meant by words with typing mistakes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LIKENESS = 0.7
"""Minimum likeness of a word that is compared letter by letter."""

LETTERS_PER_MISTAKE = 4
"""Letters of a word among which one may be wrong, missing or too many."""

MAX_LAST_LETTERS = 2
"""Last letters of a word that may all be wrong if those before them are the beginning of one."""

MIN_SAME_CHARACTERS = 5
"""Minimum length of such a beginning."""

MIN_CHARACTERS = 3
"""Minimum length of a word that may contain a mistake, and of the one that is meant."""


def closest_words(typed: str, known: Iterable[str]) -> str:
    """Return a text in which each word that begins none of the known ones is replaced by the
    closest one; empty if there is none, or if nothing was replaced.

    Args:
        typed: the text, in any case.
        known: the words that it may contain, in lower case.
    """
    vocabulary = sorted(set(known))
    words = typed.lower().split()
    meant = [_meant(word, vocabulary) for word in words]
    return " ".join(meant) if all(meant) and meant != words else ""


def _meant(word: str, vocabulary: list[str]) -> str:
    if any(one.startswith(word) for one in vocabulary):
        return word
    if len(word) < MIN_CHARACTERS:
        return ""
    long_enough = [one for one in vocabulary if len(one) >= MIN_CHARACTERS]
    alike = difflib.get_close_matches(word, long_enough, cutoff=LIKENESS)
    alike = [
        one for one in alike if _mistakes(word, one) <= max(1, len(word) // LETTERS_PER_MISTAKE)
    ]
    swapped = [one for one in alike if sorted(one) == sorted(word)]  # the likeliest mistake
    begun = [one for one in alike if one[0] == word[0]]  # the first letter is rarely a mistake
    if close := next(iter([*swapped, *begun]), ""):
        return close
    return _begun_with_two_swapped(word, vocabulary) or _of_the_same_beginning(word, vocabulary)


def _of_the_same_beginning(word: str, vocabulary: Iterable[str]) -> str:
    """Return the word with which a longer one begins, except for its last letters, as `daylite` for
    "daylight" does; empty if there is none, or more than one."""
    begun = word[:-MAX_LAST_LETTERS]
    found = {one for one in vocabulary if one.startswith(begun)}
    alike = {one for one in found if abs(len(one) - len(word)) <= MAX_LAST_LETTERS}
    return min(alike) if len(begun) >= MIN_SAME_CHARACTERS and len(found) == len(alike) == 1 else ""


def _begun_with_two_swapped(word: str, vocabulary: Iterable[str]) -> str:
    """Return the beginning of a word of which two letters were swapped, as in `tmep` for
    "temperature"; empty if there is none."""
    begun = {one[: len(word)] for one in vocabulary if one[0] == word[0]}
    alike = (one for one in begun if sorted(one) == sorted(word))
    found = (one for one in alike if _mistakes(word, one) == 1)
    return min(found, key=lambda one: (not _are_neighbours_swapped(word, one), one), default="")


def _are_neighbours_swapped(word: str, other: str) -> bool:
    """Return whether words differ in two letters beside each other, the likeliest mistake."""
    places = [at for at, (a, b) in enumerate(zip(word, other, strict=True)) if a != b]
    return places[-1] - places[0] == 1


def _mistakes(word: str, other: str) -> int:
    """Return how many letters are wrong, missing or too many; two that are swapped are one."""
    if sorted(word) == sorted(other):
        return sum(a != b for a, b in zip(word, other, strict=True)) // 2
    changes = difflib.SequenceMatcher(None, word, other, autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for kind, a, b, c, d in changes if kind != "equal")
