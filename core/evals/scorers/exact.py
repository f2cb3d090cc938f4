"""Scores answers that can be written in one way only."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from sandbox_tui.core.evals.scorers.base import Attempt, Score
from sandbox_tui.core.evals.scorers.final_answer import final_answer, strip_markup

_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_WORDS = re.compile(r"\\(?:text|mathrm|texttt|operatorname)\{([^{}]*)\}")


@dataclass
class ExactScorer:
    """1 if the answer equals the target, ignoring case, spaces and markup.

    Compares the whole answer, then the part of it that `final_answer` finds.
    """

    name: str = field(default="exact", init=False)

    async def score(self, attempt: Attempt) -> Score:
        """Compare the answer with the target."""
        if attempt.answer is None or not attempt.answer.strip():
            return Score(value=0, explanation=attempt.no_answer)
        expected = _normal(attempt.task.target)
        read = final_answer(attempt.answer)
        if expected and expected in (_normal(attempt.answer), _normal(read)):
            return Score(value=1, explanation=f"The answer is {attempt.task.target!r}.")
        return Score(
            value=0, explanation=f"Read {read[:200]!r}, expected {attempt.task.target[:200]!r}."
        )


def _normal(text: str) -> str:
    text = unicodedata.normalize("NFC", _FRACTION.sub(r"\1/\2", strip_markup(text)))
    text = _WORDS.sub(r"\1", text).replace("−", "-")
    return "".join(text.split()).casefold()
