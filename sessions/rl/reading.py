"""Reads an active or finished training run repeatedly: in slices, and only what has changed."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import rollouts, trainings
from sandbox_tui.sessions.store.tables.rollouts import Rollout
from sandbox_tui.sessions.store.tables.trainings import TrainingStep, TrainingSummary

SLICE = 2_000
"""Number of rollouts read at a time; other threads can use the database in between."""


@dataclass(frozen=True, slots=True)
class TrainingReading:
    """A snapshot of a training.

    Attributes:
        summary: the training's summary.
        steps: the finished steps, in order.
        by_step: the rollouts of each step that count, ordered by split, task and number; steps are
            ascending. An unchanged step keeps the list object of the previous reading.
    """

    summary: TrainingSummary
    steps: list[TrainingStep]
    by_step: dict[int, tuple[Rollout, ...]]

    @property
    def rollouts(self) -> list[Rollout]:
        """All rollouts that count, by step."""
        return [rollout for found in self.by_step.values() for rollout in found]


class TrainingReader:
    """Reads one training repeatedly.

    Args:
        store: the database.
        training_id: the training.
    """

    def __init__(self, store: Store, training_id: str) -> None:
        self._store = store
        self._id = training_id
        self._steps: list[TrainingStep] = []
        self._rollouts: dict[int, dict[str, Rollout]] = {}
        self._step_of: dict[str, int] = {}
        self._by_step: dict[int, tuple[Rollout, ...]] = {}
        self._revision = 0
        self._unsorted: set[int] = set()
        """Steps with changes that are not in `_by_step` yet because of an error while reading."""
        self._last: TrainingSummary | None = None

    def read(self) -> TrainingReading | None:
        """Return the present state; None if it is unchanged since the last reading. Blocks: call it
        in a thread.

        Raises:
            StoreError: the training has been deleted, or the database cannot be read.
        """
        summary = trainings.summary(self._store, self._id)
        self._read_changed()
        if summary == self._last and not self._unsorted:
            return None
        if self._last is None or _steps_differ(summary, self._last):
            self._steps = trainings.steps_of(self._store, self._id)
        self._last = summary
        if self._unsorted:
            self._by_step = self._sorted(self._unsorted)
            self._unsorted = set()
        return TrainingReading(summary, self._steps, self._by_step)

    def _read_changed(self) -> None:
        """Read what has changed."""
        while True:
            found = rollouts.changes_since(self._store, self._id, self._revision, SLICE)
            self._revision = found.revision
            for run_id in found.replaced:
                if (step := self._step_of.pop(run_id, None)) is not None:
                    del self._rollouts[step][run_id]
                    self._unsorted.add(step)
            for rollout in found.rollouts:
                self._rollouts.setdefault(rollout.step, {})[rollout.run_id] = rollout
                self._step_of[rollout.run_id] = rollout.step
                self._unsorted.add(rollout.step)
            if not found.more:
                return

    def _sorted(self, changed: set[int]) -> dict[int, tuple[Rollout, ...]]:
        return {
            step: tuple(sorted(self._rollouts[step].values(), key=_order))
            if step in changed
            else self._by_step[step]
            for step in sorted(self._rollouts)
            if self._rollouts[step]
        }


def _steps_differ(now: TrainingSummary, before: TrainingSummary) -> bool:
    return (now.steps, now.last_step, now.last_step_at) != (
        before.steps,
        before.last_step,
        before.last_step_at,
    )


def _order(rollout: Rollout) -> tuple[bool, str, int, str]:
    return rollout.split != "train", rollout.task, rollout.number, rollout.run_id
