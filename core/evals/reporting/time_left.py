"""Estimates the remaining time of an evaluation."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from sandbox_tui.core.evals.reporting.outcomes import domain_of, has_ended
from sandbox_tui.core.evals.sample import SampleResult


def seconds_left(results: Sequence[SampleResult], concurrency: int, now: float) -> float | None:
    """Return the seconds until the last sample ends, if each takes as long as others of its domain
    and mode did; 0 if all have ended, None until one has.

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
        for group in ((domain_of(result), result.mode), (result.mode,), ()):
            took[group].append(result.seconds + result.scoring_seconds)
    means = {group: math.fsum(seconds) / len(seconds) for group, seconds in took.items()}
    if not means:
        return None
    each: list[float] = []
    for result in left:
        groups = ((domain_of(result), result.mode), (result.mode,), ())
        expected = next(means[group] for group in groups if group in means)
        running = max(0.0, now - result.began_at) if result.status == "running" else 0.0
        each.append(max(0.0, expected - running))
    longest = max(each)
    return max(longest, math.fsum(each) / max(1, concurrency))
