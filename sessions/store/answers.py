"""What runs answered: only what a run submitted is its answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

KNOWN_ANSWERS = ("submitted", "imported")
"""Outcomes whose answer is not left over: that of an import may have been submitted."""

NOT_SUBMITTED = "(not submitted)"
"""Marks the text that a run left in its answer's file without submitting it."""


def submitted_answer(outcome: str | None, answer: str | None) -> str:
    """Return the answer that a run submitted; empty if it submitted none.

    A run that ended otherwise may have left text in its answer's file: perhaps a part of an answer.
    """
    return (answer or "").strip() if outcome == "submitted" else ""


def leftover_answer(outcome: str | None, answer: str | None) -> str:
    """Return the text that a run left in its answer's file without submitting it."""
    return "" if outcome in KNOWN_ANSWERS else (answer or "").strip()


def count_answers(answers: Iterable[str | None]) -> list[tuple[str, int]]:
    """Return each answer with its count, the most frequent first; missing and empty ones are left
    out."""
    stripped = (answer.strip() for answer in answers if answer)
    return Counter(answer for answer in stripped if answer).most_common()
