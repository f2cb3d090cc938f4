"""An engine: what updates a policy. It owns the loop over steps, since trainers do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sandbox_tui.core.rl.recipe import Recipe
from sandbox_tui.core.rl.training.attempt import Attempt
from sandbox_tui.core.rl.training.policy import Policy


class TrainingStopped(BaseException):
    """The person or a signal ended the training; it passes through an engine."""


@dataclass(frozen=True, slots=True)
class ScoredAttempt:
    """An attempt with its advantage in its group."""

    attempt: Attempt
    advantage: float


class TrainingJob(Protocol):
    """What an engine asks for, from a thread of its own.

    Attributes:
        recipe: what is trained and how.
        folder: where checkpoints go.
        checkpoint: to resume from; None: begin anew.
        first_step: the step that comes first, counted from 1.
    """

    recipe: Recipe
    folder: Path
    checkpoint: Path | None
    first_step: int

    def rollouts(self, step: int, policy: Policy) -> Sequence[ScoredAttempt]:
        """The attempts of a step, those of one task next to each other.

        Raises:
            TrainingStopped: it shall end.
        """
        ...

    def measure(self, step: int, policy: Policy) -> None:
        """Measure the policy with held-out tasks, where it is time to, after a step; 0: before
        the first.

        Raises:
            TrainingStopped: it shall end.
        """
        ...

    def step_finished(self, step: int, metrics: Mapping[str, float]) -> None:
        """A step is over.

        Args:
            step: its number.
            metrics: of the engine, such as `loss`.

        Raises:
            TrainingStopped: it shall end.
        """
        ...


class Engine(Protocol):
    """Trains a policy."""

    def train(self, job: TrainingJob) -> None:
        """Train to the end; blocks.

        Raises:
            ConfigError: the model cannot be trained.
            TrainingStopped: it was to end.
        """
        ...
