"""Divides the wall clock among samples that ran concurrently."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise

from sandbox_tui.core.evals.sample import SampleKey, SampleResult


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


def _run_of(result: SampleResult, now: float) -> tuple[float, float] | None:
    """Return the start and end of a sample's run, excluding scoring; None if it has not run."""
    began = result.began_at
    ended = began + result.seconds if result.over else now
    has_run = result.status != "pending" and 0 < began < ended < math.inf
    return (began, ended) if has_run else None
