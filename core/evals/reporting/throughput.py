"""The wall clock of an evaluation: its division among concurrent samples, and when any ran."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

from sandbox_tui.core.evals.sample import SampleKey, SampleResult

MIN_SECONDS = 60.0
"""Wall clock below which a number of samples a minute would be an extrapolation, not a count."""


def wall_clock_shares(results: Sequence[SampleResult], now: float = 0.0) -> dict[SampleKey, float]:
    """Return each run's share of the wall clock, in seconds; they add up to the time in which any
    ran.

    Samples that run at the same time share it equally: the number of a mode's samples divided by
    the sum of their shares is its throughput at the actual concurrency, whatever was requested,
    even if a later program ran more of them at once. Scoring, pauses and the time between two
    programs are not counted.

    Args:
        results: all samples of an evaluation.
        now: seconds since the epoch, for samples that are still running.
    """
    runs = {one.key: run for one in results if (run := _run_of(one, now)) is not None}
    if not runs:
        return {}
    moments = sorted({moment for run in runs.values() for moment in run})
    changes = dict.fromkeys(moments, 0)
    for began, ended in runs.values():
        changes[began] += 1
        changes[ended] -= 1
    at_once = accumulate(changes[moment] for moment in moments)
    shares = (
        (after - before) / count if count else 0.0
        for (before, after), count in zip(pairwise(moments), at_once, strict=False)
    )
    so_far = [0.0, *accumulate(shares)]
    by_then = dict(zip(moments, so_far, strict=True))
    return {key: by_then[ended] - by_then[began] for key, (began, ended) in runs.items()}


def samples_per_minute(shares: Sequence[float]) -> float | None:
    """Return the number of samples per minute of the wall clock that they took together, given the
    share of each in seconds; None below `MIN_SECONDS`."""
    seconds = math.fsum(shares)
    return 60 * len(shares) / seconds if seconds >= MIN_SECONDS else None


def busy_seconds(results: Sequence[SampleResult]) -> Callable[[float], float]:
    """Return a function that says for how many seconds samples had run or been scored by a moment
    (seconds since the epoch), without the time in which none was, as between two programs.

    Args:
        results: finished samples.
    """
    began: list[float] = []
    ended: list[float] = []
    for one in sorted(results, key=lambda one: one.began_at):
        if not 0 < one.began_at <= one.ended_at < math.inf:
            continue
        if ended and one.began_at <= ended[-1]:
            ended[-1] = max(ended[-1], one.ended_at)
        else:
            began.append(one.began_at)
            ended.append(one.ended_at)
    lengths = (end - begin for begin, end in zip(began, ended, strict=True))
    before = [*accumulate(lengths, initial=0.0)]

    def by(moment: float) -> float:
        at = bisect_right(began, moment) - 1
        return before[at] + min(moment, ended[at]) - began[at] if at >= 0 else 0.0

    return by


def _run_of(result: SampleResult, now: float) -> tuple[float, float] | None:
    """Return the start and end of a sample's run, excluding scoring; None if it has not run."""
    began = result.began_at
    ended = began + result.seconds if result.over else now
    has_run = result.status != "pending" and 0 < began < ended < math.inf
    return (began, ended) if has_run else None
