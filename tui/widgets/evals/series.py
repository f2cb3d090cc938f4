"""The progress of an evaluation over the time in which its samples ran, as charts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.reporting.outcomes import has_ended, has_score, tokens_of
from sandbox_tui.core.evals.reporting.throughput import busy_seconds
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.tui.widgets.charts.chart import Chart, Curve, Series

MAX_POINTS = 160
"""Maximum points of a curve; a terminal cannot show more."""


def series_of(info: EvalInfo, newest_first: Sequence[SampleResult]) -> Series:
    """Return the charts of an evaluation: at each time, the mean of all samples finished by then.

    Args:
        info: the evaluation.
        newest_first: its finished samples, newest first.
    """
    by = busy_seconds(newest_first)
    over = list(reversed(newest_first))
    scored = [one for one in over if has_score(one)]
    ended = [one for one in over if has_ended(one)]
    return (
        Chart(
            "mean score %",
            _curves(info, scored, by, lambda one: 100 * (one.score or 0.0)),
            limits=(0.0, 100.0),
        ),
        Chart("steps a sample", _curves(info, ended, by, lambda one: one.steps)),
        Chart("tokens a sample", _curves(info, ended, by, tokens_of)),
        Chart("calls a sample", _curves(info, ended, by, lambda one: one.calls)),
    )


def _curves(
    info: EvalInfo,
    samples: Sequence[SampleResult],
    by: Callable[[float], float],
    value: Callable[[SampleResult], float],
) -> dict[str, Curve]:
    made: dict[str, Curve] = {}
    for mode in info.modes:
        of_mode = [one for one in samples if one.mode == mode]
        if of_mode:
            made[mode] = _means(of_mode, by, value)
    return made


def _means(
    samples: Sequence[SampleResult],
    by: Callable[[float], float],
    value: Callable[[SampleResult], float],
) -> Curve:
    """Return the running mean after every n-th sample, with n chosen for at most `MAX_POINTS`
    points."""
    every = max(1, -(-len(samples) // MAX_POINTS))
    total = 0.0
    minutes: list[float] = []
    means: list[float] = []
    for number, one in enumerate(samples, 1):
        total += value(one)
        if number % every == 0 or number == len(samples):
            minutes.append(by(one.ended_at) / 60)
            means.append(total / number)
    return minutes, means
