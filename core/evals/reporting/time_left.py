"""Estimates the remaining time of an evaluation."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from sandbox_tui.core.evals.reporting.outcomes import domain_of, has_ended
from sandbox_tui.core.evals.sample import SampleResult


def seconds_left(results: Sequence[SampleResult], concurrency: int, now: float) -> float | None:
    """Return the seconds until the last sample ends, if each takes as long as others of its domain
    and mode did, or else of its mode; 0 if all have ended, None until one of each mode has. Other
    modes say nothing: a sample with a computer may take a hundred times as long as one without.

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
    means = {group: math.fsum(seconds) / len(seconds) for group, seconds in took.items()}
    each: list[float] = []
    for result in left:
        expected = next((means[group] for group in _groups(result) if group in means), None)
        if expected is None:
            return None
        running = max(0.0, now - result.began_at) if result.status == "running" else 0.0
        each.append(max(0.0, expected - running))
    longest = max(each)
    return max(longest, math.fsum(each) / max(1, concurrency))


def _groups(result: SampleResult) -> tuple[tuple[str, ...], ...]:
    """Return the groups of samples that take about as long, the closest first."""
    return (domain_of(result), result.mode), (result.mode,)
