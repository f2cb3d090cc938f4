"""Engines update a policy. They own the training loop, because trainers do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sandbox_tui.core.rl.recipe import Recipe
from sandbox_tui.core.rl.training.attempt import Attempt
from sandbox_tui.core.rl.training.policy import Policy


class TrainingStopped(BaseException):
    """The user or a signal ended the training. A BaseException, to pass through engines."""


@dataclass(frozen=True, slots=True)
class ScoredAttempt:
    """An attempt with its advantage in its group."""

    attempt: Attempt
    advantage: float


class TrainingJob(Protocol):
    """The interface that an engine uses, on its own thread.

    Attributes:
        recipe: what to train, and how.
        folder: folder for checkpoints.
        checkpoint: checkpoint to resume from; None: start from scratch.
        first_step: number of the first step to run, counted from 1.
    """

    recipe: Recipe
    folder: Path
    checkpoint: Path | None
    first_step: int

    def rollouts(self, step: int, policy: Policy) -> Sequence[ScoredAttempt]:
        """Run the attempts of a step, and return them grouped by task.

        Raises:
            TrainingStopped: the training must stop.
        """
        ...

    def measure(self, step: int, policy: Policy) -> None:
        """Measure the policy on held-out tasks after a step, if due; 0: before the first step.

        Raises:
            TrainingStopped: the training must stop.
        """
        ...

    def step_finished(self, step: int, metrics: Mapping[str, float]) -> None:
        """Report that a step is finished.

        Args:
            step: number of the step.
            metrics: metrics of the engine, such as `loss`.

        Raises:
            TrainingStopped: the training must stop.
        """
        ...


class Engine(Protocol):
    """Trains a policy."""

    def train(self, job: TrainingJob) -> None:
        """Train until the last step; blocks.

        Raises:
            ConfigError: the model cannot be trained.
            TrainingStopped: the training was stopped.
        """
        ...
