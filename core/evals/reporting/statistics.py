"""Means and paired differences with intervals, by task.

Samples of one task are not independent of each other, so each task counts once, with the mean of
its samples. Tasks that are all right or wrong have score intervals (`score_intervals`). For all
others tasks are resampled (the cluster bootstrap: Davison and Hinkley, Bootstrap Methods and Their
Application, 1997, section 3.8). Those intervals are 95 % percentile intervals from `RESAMPLES`
resamples with a fixed seed: the same scores always give the same interval.

A resample of n tasks with k different means is k counts from a multinomial distribution, so it
costs k random numbers instead of n. With `MIN_NORMAL_TASKS` tasks or more, the means of resamples
are so nearly normal that their percentiles are calculated directly instead of drawn (`_expansion`).
"""

from __future__ import annotations

import functools
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sandbox_tui.core.evals.reporting.score_intervals import NORMAL_POINT, tango, wilson

RESAMPLES = 1000
CONFIDENCE = 0.95
SEED = 20260122
MAX_GROUPS = 20
"""Maximum number of distinct task means in resampling. More are binned into this many ranges of
equal width, each represented by its mean: the width of an interval changes by less than 1 % of the
spread of the scores, its centre not at all."""

MIN_NORMAL_TASKS = 400
"""From this many tasks on, the error of the expansion is smaller than the variance of
resampling."""

MIN_CERTAIN_TASKS = 6
"""With fewer tasks no difference is certain: not even an exact sign test reaches 95 % if all of
them differ in the same direction."""

Scores = Mapping[str, Sequence[float]]
"""Scores of samples by task."""


Certainty = Literal["better", "even", "worse"]
"""The conclusion from the interval of a difference."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over tasks, or a mean difference.

    Attributes:
        value: the mean.
        low, high: ends of the interval; None if nothing shows how far the values spread: they are
            all equal and not just right or wrong, or there is only one.
        tasks: number of tasks.
    """

    value: float
    low: float | None
    high: float | None
    tasks: int

    @property
    def certainty(self) -> Certainty:
        """For a difference, the side of 0 that its interval is on; `even` if the interval contains
        0 or is missing, or with fewer than `MIN_CERTAIN_TASKS` tasks."""
        if self.low is None or self.high is None or self.low <= 0 <= self.high:
            return "even"
        if self.tasks < MIN_CERTAIN_TASKS:
            return "even"
        return "better" if self.value > 0 else "worse"


def mean_score(scores: Scores) -> Estimate | None:
    """Return the mean over tasks; None if there is no score."""
    means = task_means(scores).values()
    if not means or not _are_binary(means):
        return estimate(means)
    right, tasks = sum(map(int, means)), len(means)
    return Estimate(right / tasks, *wilson(right, tasks), tasks)


def paired_difference(base: Scores, other: Scores) -> Estimate | None:
    """Return the mean of `other` minus `base` over the tasks that have a score in both; None if
    there are none."""
    before, after = task_means(base), task_means(other)
    differences = [after[task] - mean for task, mean in before.items() if task in after]
    both = (means[task] for means in (before, after) for task in before.keys() & after.keys())
    if not differences or not _are_binary(both):
        return estimate(differences)
    gained, lost = differences.count(1), differences.count(-1)
    tasks = len(differences)
    return Estimate((gained - lost) / tasks, *tango(gained, lost, tasks), tasks)


def paired_ratio(base: Scores, other: Scores) -> float | None:
    """Return the mean of `other` divided by the mean of `base`, over the tasks that are in both;
    None if there are none or `base` is 0."""
    before, after = task_means(base), task_means(other)
    both = before.keys() & after.keys()
    whole = math.fsum(before[task] for task in both)
    return math.fsum(after[task] for task in both) / whole if whole else None


def task_means(scores: Scores) -> dict[str, float]:
    """Return the mean score of each task that has one."""
    return {  # most tasks of a large suite have one sample
        task: found[0] if len(found) == 1 else _mean(found)
        for task, found in scores.items()
        if found
    }


def estimate(values: Iterable[float]) -> Estimate | None:
    """Return the mean of one value per task with its bootstrap interval; None without values."""
    found = sorted(values)
    if not found:
        return None
    value = _mean(found)
    if found[0] == found[-1]:
        return Estimate(value, None, None, len(found))
    low, high = _interval(tuple(_groups(found)))
    # Rounding alone could put the mean outside the interval of equal values.
    return Estimate(value, min(low, value), max(high, value), len(found))


def _are_binary(scores: Iterable[float]) -> bool:
    return all(score in (0, 1) for score in scores)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if len(values) > 1 else values[0]


def _groups(ordered: Sequence[float]) -> Iterator[tuple[float, int]]:
    """Yield the values with their frequencies, binned to at most `MAX_GROUPS` values."""
    counts = Counter(ordered)
    if len(counts) <= MAX_GROUPS:
        yield from counts.items()
        return
    low = ordered[0]
    width = (ordered[-1] - low) / MAX_GROUPS
    ranges: dict[int, list[float]] = {}
    for value in ordered:
        ranges.setdefault(min(int((value - low) / width), MAX_GROUPS - 1), []).append(value)
    for values in ranges.values():
        yield _mean(values), len(values)


@functools.lru_cache(4096)
def _interval(groups: tuple[tuple[float, int], ...]) -> tuple[float, float]:
    """Return the interval of a mean. Cached for the screen, which calls this whenever a sample
    ends, with most groups unchanged."""
    if sum(count for _, count in groups) >= MIN_NORMAL_TASKS:
        return _expansion(groups)
    rng = random.Random(SEED)
    means = sorted(_resampled_mean(rng, groups) for _ in range(RESAMPLES))
    cut = round(RESAMPLES * (1 - CONFIDENCE) / 2)
    return means[cut], means[-1 - cut]


def _expansion(groups: Sequence[tuple[float, int]]) -> tuple[float, float]:
    """Return the percentiles of the resampled means, up to the skewness of their distribution
    (Cornish and Fisher, Moments and Cumulants in the Specification of Distributions, 1938)."""
    size = sum(count for _, count in groups)
    mean = math.fsum(value * count for value, count in groups) / size
    variance = math.fsum(count * (value - mean) ** 2 for value, count in groups) / size
    if not variance:  # underflow
        return mean, mean
    third = math.fsum(count * (value - mean) ** 3 for value, count in groups) / size
    error = math.sqrt(variance / size)
    shift = third / (variance * size * error) * (NORMAL_POINT**2 - 1) / 6
    least, most = min(groups)[0], max(groups)[0]
    return (
        max(least, mean + error * (shift - NORMAL_POINT)),
        min(most, mean + error * (shift + NORMAL_POINT)),
    )


def _resampled_mean(rng: random.Random, groups: Sequence[tuple[float, int]]) -> float:
    """Return the mean of one resample, with as many draws as there are values."""
    size = left = sum(count for _, count in groups)
    total, unseen = 0.0, size
    for value, count in groups[:-1]:
        drawn = _binomial(rng, left, count / unseen)
        total += drawn * value
        left -= drawn
        unseen -= count
    return (total + left * groups[-1][0]) / size


def _binomial(rng: random.Random, trials: int, chance: float) -> int:
    """Return the number of successes in independent trials.

    Each trial compares a random binary fraction with `chance`, bit by bit, and all trials do so at
    once: where the bit of `chance` is 1, trials with a 0 have succeeded; where it is 0, trials with
    a 1 have failed; the others continue with the next bit.
    """
    successes = 0
    while trials and chance:
        ones = rng.getrandbits(trials).bit_count()
        chance *= 2
        if chance >= 1:
            chance -= 1
            successes += trials - ones
            trials = ones
        else:
            trials -= ones
    return successes
