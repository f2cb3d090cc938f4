"""Scores `instruct_pretrain`: each task by its domain and type of question, as in the reference.

    math, physics              math_verify
    chem, biomed               choice
    instruct_follow            ifbench
    others, multiple choice    choice, or multiple_choice if the target lists several letters
    others, free form          1 if math_verify says so, or else rouge

Unlike in the reference, an unknown domain is scored by its type of question, and whitespace around
the commas of a target does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from sandbox_tui.core.evals.scorers.base import Attempt, Score, Scorer, ScorerFailed
from sandbox_tui.core.evals.scorers.paper.choice import Choice
from sandbox_tui.core.evals.scorers.paper.ifbench import IFBench
from sandbox_tui.core.evals.scorers.paper.math_verify import MathVerify
from sandbox_tui.core.evals.scorers.paper.multiple_choice import MultipleChoice
from sandbox_tui.core.evals.scorers.paper.rouge import Rouge


@dataclass(slots=True, kw_only=True)
class Pretrain:
    """Chooses the scorer for each task."""

    name: str = field(default="pretrain", init=False)

    def check_ready(self) -> None:
        """Raise `ConfigError` if its packages are missing."""
        MathVerify().check_ready()
        Rouge().check_ready()

    async def score(self, attempt: Attempt) -> Score:
        """Score with the scorer for the task's domain and `qa_type`."""
        scorer = scorer_for(attempt)
        if scorer is not None:
            score = await scorer.score(attempt)
            return msgspec.structs.replace(score, explanation=f"{scorer.name}: {score.explanation}")
        return await _free_form(attempt)


def scorer_for(attempt: Attempt) -> Scorer | None:
    """Return the scorer for a task; None if the task is free form."""
    domain = attempt.task.domain.lower()
    if domain.startswith(("math", "physics")):
        return MathVerify()
    if domain.startswith(("chem", "biomed")):
        return Choice()
    if domain.startswith("instruct_follow"):
        return IFBench()
    if "multiple choice" in str(attempt.task.metadata.get("qa_type") or "").lower():
        return MultipleChoice() if "," in attempt.task.target else Choice()
    return None


async def _free_form(attempt: Attempt) -> Score:
    """Score a free-form answer, by mathematics first: by words alone, 1/2 and 0.5 would differ."""
    try:
        score = await MathVerify().score(attempt)
    except ScorerFailed:  # most targets here are sentences
        score = Score(value=0.0)
    if score.value > 0:
        return Score(value=1.0, explanation=f"math_verify: {score.explanation}")
    return await Rouge().score(attempt)
