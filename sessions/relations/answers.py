"""Counts the answers of several runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def count_answers(answers: Iterable[str | None]) -> list[tuple[str, int]]:
    """Return each answer with its count, the most frequent first; missing and empty ones are left
    out."""
    stripped = (answer.strip() for answer in answers if answer)
    return Counter(answer for answer in stripped if answer).most_common()
