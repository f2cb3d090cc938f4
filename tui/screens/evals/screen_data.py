"""The data that the evaluation screen shows, computed in a thread because it takes a while."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sandbox_tui.core.evals.reporting.outcomes import by_frequency, has_score
from sandbox_tui.core.evals.reporting.table import EvalTable, eval_table
from sandbox_tui.core.evals.reporting.throughput import wall_clock_shares
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.evals.scorers.table import NEED_SANDBOX
from sandbox_tui.tui.screens.evals.source import Reading
from sandbox_tui.tui.widgets.charts.chart import Series
from sandbox_tui.tui.widgets.evals.series import series_of


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalScreenData:
    """An evaluation at a point in time, ready to be drawn.

    Attributes:
        reading: the reading it was computed from.
        table: domains by modes.
        running: running samples, in the order in which they started.
        cancelled: samples that were running when the evaluation was stopped.
        over: finished samples, newest first.
        lost: number of finished samples without a score.
        is_scorer_lost: whether all of those ran well, and only their scorer failed.
        can_rescore: whether their answers can be scored again without a sandbox.
        failures: number of failures by kind, the most frequent first.
        tokens: total tokens of all attempts at the samples that do not run now.
        estimated: whether some token counts are estimates.
        cost: US dollars; None if unknown.
        series: the data of the charts.
        run_seconds: for a finished evaluation, how long samples ran, without the time between two
            programs; 0 for all others, and after a rerun, whose earlier attempts are not known.
    """

    reading: Reading
    table: EvalTable
    running: list[SampleResult]
    cancelled: list[SampleResult]
    over: list[SampleResult]
    lost: int
    is_scorer_lost: bool
    can_rescore: bool
    failures: tuple[tuple[str, int], ...]
    tokens: int
    estimated: bool
    cost: float | None
    series: Series
    run_seconds: float

    @property
    def can_rerun(self) -> bool:
        """Whether it has finished, and only samples without a score can run again."""
        return self.reading.state == "finished" and self.lost > 0

    @property
    def rest_words(self) -> str:
        """The number of samples that run again on resume, and of those that have not started."""
        cancelled = len(self.cancelled)
        pending = self.table.samples - self.table.over - len(self.running) - cancelled
        counts = ((cancelled, "cancelled"), (pending, "pending"))
        return " · ".join(f"{count} {words}" for count, words in counts if count)


def data_of(reading: Reading) -> EvalScreenData:
    """Compute what the screen shows."""
    samples = reading.samples
    over = sorted((one for one in samples if one.over), key=_ended, reverse=True)
    running = sorted((one for one in samples if one.status == "running"), key=_began)
    lost = [one for one in over if not has_score(one)]
    costs = [one.cost for one in over if one.cost is not None]
    table = eval_table(reading.info, samples, now=reading.at)
    failures = sum((Counter(dict(cell.failures)) for cell in table.total.cells), Counter[str]())
    return EvalScreenData(
        reading=reading,
        table=table,
        running=running,
        cancelled=[one for one in samples if one.cancelled],
        over=over,
        lost=len(lost),
        is_scorer_lost=all(one.status == "unscored" for one in lost),
        can_rescore=not any(one.scorer in NEED_SANDBOX for one in lost),
        failures=by_frequency(failures),
        tokens=reading.tokens_before + sum(one.input_tokens + one.output_tokens for one in over),
        estimated=any(one.estimated for one in over),
        cost=math.fsum((*costs, reading.cost_before)) if costs or reading.cost_before else None,
        series=series_of(reading.info, over),
        run_seconds=_run_seconds(over) if reading.state == "finished" else 0.0,
    )


def _run_seconds(over: Sequence[SampleResult]) -> float:
    if any(one.attempts > 1 for one in over):
        return 0.0
    return sum(wall_clock_shares(over).values())


def _ended(sample: SampleResult) -> float:
    return sample.ended_at


def _began(sample: SampleResult) -> float:
    return sample.began_at
