"""Estimates the remaining time of an evaluation."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate

from sandbox_tui.core.evals.reporting.outcomes import domain_of, has_ended
from sandbox_tui.core.evals.sample import SampleResult


def seconds_left(results: Sequence[SampleResult], concurrency: int, now: float) -> float | None:
    """Return the seconds until the last sample ends, if each takes as long as others of its domain
    and mode did, or else of its mode; 0 if all have ended.

    None until one of each mode has ended, because other modes say nothing: a sample with a computer
    may take a hundred times as long as one without. A sample that takes longer than any other did
    counts as about to end; None if nothing else is left.

    Args:
        results: all samples.
        concurrency: maximum number of samples that run at once.
        now: seconds since the epoch.
    """
    left = [result for result in results if not result.over]
    if not left:
        return 0.0
    took: defaultdict[tuple[str, ...], list[float]] = defaultdict(list)
    for result in filter(has_ended, results):
        for group in _groups(result):
            took[group].append(result.seconds + result.scoring_seconds)
    known = {group: _Durations(seconds) for group, seconds in took.items()}
    each: list[float] = []
    has_estimate = False
    for result in left:
        running = max(0.0, now - result.began_at) if result.status == "running" else 0.0
        durations = [known[group] for group in _groups(result) if group in known]
        if not durations:
            return None
        expected = next(
            (rest for of in durations if (rest := of.expected_after(running)) is not None), None
        )
        has_estimate = has_estimate or expected is not None
        each.append(expected or 0.0)
    if not has_estimate:
        return None
    longest = max(each)
    return max(longest, math.fsum(each) / max(1, concurrency))


class _Durations:
    """How long samples took, to say how much longer one takes that has run for some time."""

    def __init__(self, seconds: Iterable[float]) -> None:
        self._sorted = sorted(seconds)
        self._sums = [*accumulate(reversed(self._sorted), initial=0.0)]
        """Sum of the longest 0, 1, 2, … durations."""

    def expected_after(self, seconds: float) -> float | None:
        """Return the mean rest of those that took longer; None if none did."""
        longer = len(self._sorted) - bisect_right(self._sorted, seconds)
        if not seconds:
            longer = len(self._sorted)
        return self._sums[longer] / longer - seconds if longer else None


def _groups(result: SampleResult) -> tuple[tuple[str, ...], ...]:
    """Return the groups of samples that take about as long, the closest first."""
    return (domain_of(result), result.mode), (result.mode,)
