"""What runs answered: only what a run submitted is its answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, cast

KNOWN_ANSWERS = ("submitted", "imported")
"""Outcomes whose answer is not left over: that of an import may have been submitted."""

NOT_SUBMITTED = "(not submitted)"
"""Marks the text that a run left in its answer's file without submitting it."""


_ANSWER_ARGUMENTS = ("answer", "final_answer", "result", "output", "text")
"""Arguments in which models put an answer, though `submit` takes none."""


def answer_in_call(arguments: str) -> str:
    """Return the answer in the arguments of a call of `submit`; empty if there is none."""
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(given, dict):
        return ""
    values = cast(dict[str, Any], given)
    for name in _ANSWER_ARGUMENTS:
        value = values.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value).strip()
    return ""


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
