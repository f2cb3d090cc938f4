"""Texts as words and as sets of word n-grams (shingles, Broder 1997), to find what was copied."""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b

_WORD = re.compile(r"[\u0e00-\u0eff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
"""A run of letters and digits; a single sign in scripts that put no spaces between words."""


def words_of(text: str) -> list[str]:
    """The words of a text, without case, accents' spelling, punctuation and space."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def normalised(text: str) -> str:
    """The words with one space between: equal for texts that differ in form alone."""
    return " ".join(words_of(text)) or text.strip()


def shingles(text: str, length: int) -> frozenset[int]:
    """Digests of all runs of so many words; of all words together where there are fewer. The same
    in every process."""
    words = words_of(text)
    if not words:
        return frozenset()
    runs = range(max(1, len(words) - length + 1))
    return frozenset(_digest(" ".join(words[at : at + length])) for at in runs)


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
