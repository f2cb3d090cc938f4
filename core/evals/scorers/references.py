"""Checks before the first sample whether scorers can read the targets of their tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.scorers.base import Scorer
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task


@runtime_checkable
class ChecksReferences(Protocol):
    """A scorer that can tell from a task alone that it will not be able to score it."""

    def reference_problem(self, task: Task) -> str:
        """Return what is wrong with the task's target or metadata, as the end of a sentence that
        begins with the task; empty if nothing is."""
        ...


def refuse_unreadable_references(suite: Suite, scorers: Mapping[str, Scorer]) -> None:
    """Refuse a suite whose scorers cannot read all targets: every sample of such a task would cost
    tokens and end without a score.

    Args:
        suite: the suite.
        scorers: its scorers, by name.

    Raises:
        ConfigError: the message names the first such task, and says how many more there are.
    """
    found: list[str] = []
    for task in suite.tasks:
        scorer = scorers[suite.scorer_of(task)]
        if isinstance(scorer, ChecksReferences) and (words := scorer.reference_problem(task)):
            found.append(f"Task {task.id}: {words}")
    if found:
        first, *others = found
        more = f" So it is with {len(others)} more." if others else ""
        raise ConfigError(sanitize_line(f"{first}{more}"))
