"""Scores questions with several correct letters by the F1 score of the two sets.

The reference splits the answer at commas. Unlike the reference, this also reads an answer with
words around its letters (`Answer: A, C`, a box, `A and C`, `(A) (C)`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sandbox_tui.core.evals.scorers.base import Attempt, Score
from sandbox_tui.core.evals.scorers.boxed import last_boxed, without_thinking
from sandbox_tui.core.evals.scorers.final_answer import without_long_space

_LIST = re.compile(r"[A-Za-z](?:(?:\s*[,;/&+]\s*|\s+and\s+|\s*,\s*and\s+|\s+)[A-Za-z])*\.?")
_STATED = re.compile(
    r"(?i:answers?|choices|options)\s*(?:(?i:is|are)\b)?\s*[:：]?\s*("
    + _LIST.pattern
    + r")\s*(?:\n|$)"
)  # fmt: skip
_MARKUP = re.compile(r"\\(?:text\w*|math\w+|f?boxed)\b|[*`$\"“”()\[\]{}]")
_SEPARATOR = re.compile(r"[,;/&+\s]+|\band\b")


@dataclass(slots=True, kw_only=True)
class MultipleChoice:
    """Compares the set of letters in the answer with the target's."""

    name: str = field(default="multiple_choice", init=False)

    async def score(self, attempt: Attempt) -> Score:
        """Return the harmonic mean of precision and recall."""
        return scored_letters(attempt.answer, attempt.task.target)


def scored_letters(answer: str | None, target: str) -> Score:
    """Return the score of one answer."""
    found, right = letters_of(without_thinking(answer or "")), letters_of(target)
    both = len(found & right)
    value = 2 * both / (len(found) + len(right)) if both else 0.0
    named = ", ".join(sorted(found)) or "nothing"
    return Score(
        value=value,
        explanation=f"The answer names {named:.100}; expected {', '.join(sorted(right))}.",
    )


def letters_of(text: str) -> set[str]:
    """Return the letters that a text lists, as capitals; if there are none, its parts between
    commas."""
    boxed = last_boxed(text)
    for part in (text, boxed or ""):
        plain = " ".join(_MARKUP.sub(" ", part).split())
        if _LIST.fullmatch(plain):
            return _split(plain)
    stated = list(_STATED.finditer(without_long_space(_MARKUP.sub(" ", text))))
    if stated:
        return _split(stated[-1][1])
    return {part.strip().upper() for part in text.split(",") if part.strip()}


def _split(listed: str) -> set[str]:
    return {part.upper() for part in _SEPARATOR.split(listed.rstrip(". ")) if part}
