"""Runs a scorer on a single answer."""

from __future__ import annotations

from typing import Any

from sandbox_tui.core.evals.scorers.base import Attempt, Score
from sandbox_tui.core.evals.scorers.table import scorer_named
from sandbox_tui.core.evals.task import Task


async def graded(scorer: str, answer: str | None, target: str, **more: Any) -> Score:
    """Score an answer; `options` go to the scorer, other keywords to the task."""
    options: dict[str, Any] = more.pop("options", {})
    task = Task(id="t", problem=more.pop("problem", "p"), target=target, **more)
    attempt = Attempt(task=task, mode="vanilla", answer=answer)
    score = await scorer_named(scorer, options).score(attempt)
    assert 0 <= score.value <= 1
    assert score.explanation
    return score
