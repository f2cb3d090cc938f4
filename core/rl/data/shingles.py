"""Texts as words and as sets of word n-grams (shingles, Broder 1997), to detect copies."""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b

_WORD = re.compile(r"[\u0e00-\u0eff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
"""A run of letters and digits; a single character in scripts without spaces between words."""


def words_of(text: str) -> list[str]:
    """Return the words of a text, ignoring case, Unicode composition, punctuation and space."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def normalised(text: str) -> str:
    """Return the words joined by single spaces: equal for texts that differ only in form."""
    return " ".join(words_of(text)) or text.strip()


def shingles(text: str, length: int) -> frozenset[int]:
    """Return the digests of all runs of this many words, or of all words together if there are
    fewer. The same in every process."""
    words = words_of(text)
    if not words:
        return frozenset()
    runs = range(max(1, len(words) - length + 1))
    return frozenset(_digest(" ".join(words[at : at + length])) for at in runs)


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
