"""Reads a training run for whoever watches it, in progress or over: a slice at a time, and only
what has changed since the last time."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import rollouts, trainings
from sandbox_tui.sessions.store.tables.rollouts import Rollout
from sandbox_tui.sessions.store.tables.trainings import TrainingStep, TrainingSummary

SLICE = 2_000
"""Rollouts read at a time: other threads use the database in between."""


@dataclass(frozen=True, slots=True)
class TrainingReading:
    """A training at a moment.

    Attributes:
        summary: it at a glance.
        steps: those that are finished, in order.
        by_step: the rollouts of each step that count, by split, task and number; steps rise. Those
            of a step in which nothing has changed are the very object of the reading before.
    """

    summary: TrainingSummary
    steps: list[TrainingStep]
    by_step: dict[int, tuple[Rollout, ...]]

    @property
    def rollouts(self) -> list[Rollout]:
        """All that count, by step."""
        return [rollout for found in self.by_step.values() for rollout in found]


class TrainingReader:
    """Reads one training again and again.

    Args:
        store: where it is.
        training_id: which one.
    """

    def __init__(self, store: Store, training_id: str) -> None:
        self._store = store
        self._id = training_id
        self._steps: list[TrainingStep] = []
        self._rollouts: dict[int, dict[str, Rollout]] = {}
        self._step_of: dict[str, int] = {}
        self._by_step: dict[int, tuple[Rollout, ...]] = {}
        self._revision = 0
        self._last: TrainingSummary | None = None

    def read(self) -> TrainingReading | None:
        """How it stands; None: as at the last reading. Blocks: call it in a thread.

        Raises:
            StoreError: it is not there any more, or the file cannot be read.
        """
        summary = trainings.summary(self._store, self._id)
        changed = self._read_changed()
        if summary == self._last and not changed:
            return None
        if self._last is None or _steps_differ(summary, self._last):
            self._steps = trainings.steps_of(self._store, self._id)
        self._last = summary
        if changed:
            self._by_step = self._sorted(changed)
        return TrainingReading(summary, self._steps, self._by_step)

    def _read_changed(self) -> set[int]:
        """Read what has changed; the steps in which something has."""
        changed: set[int] = set()
        while True:
            found = rollouts.changes_since(self._store, self._id, self._revision, SLICE)
            self._revision = found.revision
            for run_id in found.gone:
                if (step := self._step_of.pop(run_id, None)) is not None:
                    del self._rollouts[step][run_id]
                    changed.add(step)
            for rollout in found.rollouts:
                self._rollouts.setdefault(rollout.step, {})[rollout.run_id] = rollout
                self._step_of[rollout.run_id] = rollout.step
                changed.add(rollout.step)
            if not found.more:
                return changed

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
