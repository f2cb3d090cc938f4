"""The data that the training screen shows, computed in a thread because it takes a while."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.sessions.rl.groups import RolloutGroup, groups_of
from sandbox_tui.sessions.rl.reading import TrainingReading
from sandbox_tui.sessions.rl.step_figures import StepFigures, figures_of
from sandbox_tui.sessions.store.tables.rollouts import Rollout
from sandbox_tui.tui.widgets.charts.chart import Series
from sandbox_tui.tui.widgets.training.curves import series_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingScreenData:
    """A training at a point in time, ready to be drawn.

    Attributes:
        reading: the reading it was computed from.
        steps: the figures of each step.
        groups: groups of rollouts, the newest step first.
        running: number of unfinished rollouts.
        series: the data of the charts.
    """

    reading: TrainingReading
    steps: list[StepFigures]
    groups: list[RolloutGroup]
    running: int
    series: Series


@dataclass(frozen=True, slots=True)
class _Step:
    """The computed results of a step, with the inputs they were computed from."""

    rollouts: tuple[Rollout, ...]
    metrics: dict[str, float] | None
    figures: StepFigures
    groups: list[RolloutGroup]
    running: int


class TrainingDataCache:
    """Computes the data of successive readings, reusing the results of unchanged steps.

    Of a training with 100,000 rollouts only a few are in progress.
    """

    def __init__(self) -> None:
        self._known: dict[int, _Step] = {}

    def data_of(self, reading: TrainingReading) -> TrainingScreenData:
        """Return the data of a training for a reading."""
        metrics = {one.step: one.metrics for one in reading.steps}
        numbers = sorted({*metrics, *reading.by_step})
        self._known = {
            number: self._step(number, reading.by_step.get(number, ()), metrics.get(number))
            for number in numbers
        }
        steps = [self._known[number].figures for number in numbers]
        return TrainingScreenData(
            reading=reading,
            steps=steps,
            groups=[group for number in reversed(numbers) for group in self._known[number].groups],
            running=sum(step.running for step in self._known.values()),
            series=series_of(steps),
        )

    def _step(
        self, number: int, rollouts: tuple[Rollout, ...], metrics: dict[str, float] | None
    ) -> _Step:
        known = self._known.get(number)
        if known is not None and known.rollouts is rollouts and known.metrics == metrics:
            return known
        return _Step(
            rollouts,
            metrics,
            figures_of(number, rollouts, metrics),
            groups_of(rollouts),
            sum(not one.over for one in rollouts),
        )
