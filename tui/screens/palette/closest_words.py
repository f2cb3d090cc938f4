"""What may be meant by words with typing mistakes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LIKENESS = 0.75
"""Minimum likeness of a word that may be meant: about one wrong letter in four."""

MIN_CHARACTERS = 3
"""Minimum length of a word that may contain a mistake."""


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
    alike = difflib.get_close_matches(word, vocabulary, cutoff=LIKENESS)
    swapped = [one for one in alike if sorted(one) == sorted(word)]  # the likeliest mistake
    begun = [one for one in alike if one[0] == word[0]]  # the first letter is rarely a mistake
    return next(iter([*swapped, *begun]), "")
