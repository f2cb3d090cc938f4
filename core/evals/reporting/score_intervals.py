"""Intervals of right and wrong answers, which never have zero width, however few there are.

Both invert a score test, whose standard error is the one under the value that is tested instead of
the one observed. So they hold where resampling fails: with few tasks, and when all are alike.

- A proportion: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference,
  Journal of the American Statistical Association 22 (1927), 209-212.
- The difference of two proportions on the same tasks: T. Tango, Equivalence Test and Confidence
  Interval for the Difference in Proportions for the Paired-Sample Design, Statistics in Medicine 17
  (1998), 891-908. It excludes 0 exactly when McNemar's test rejects.
"""

from __future__ import annotations

import functools
import math

NORMAL_POINT = 1.959964
"""The 97.5 % quantile of the normal distribution: half of what a 95 % interval leaves is above."""

_HALVINGS = 50
"""Bisection steps: the ends are exact to 2**-49."""


def wilson(right: int, tasks: int) -> tuple[float, float]:
    """Return the interval of the share of right answers."""
    square = NORMAL_POINT**2
    centre = right + square / 2
    reach = NORMAL_POINT * math.sqrt(right * (tasks - right) / tasks + square / 4)
    low = (centre - reach) / (tasks + square) if right else 0.0
    high = (centre + reach) / (tasks + square) if right < tasks else 1.0
    return low, high


@functools.lru_cache(4096)
def tango(gained: int, lost: int, tasks: int) -> tuple[float, float]:
    """Return the interval of a paired difference.

    Args:
        gained: tasks that are wrong before and right after.
        lost: tasks that are right before and wrong after.
        tasks: all tasks.
    """
    return -_highest(lost, gained, tasks), _highest(gained, lost, tasks)


def _highest(gained: int, lost: int, tasks: int) -> float:
    """Return the highest difference that the score test does not reject."""
    kept, rejected = (gained - lost) / tasks, 1.0
    for _ in range(_HALVINGS):
        middle = (kept + rejected) / 2
        excess = tasks * middle - (gained - lost)
        if excess <= NORMAL_POINT * _error(middle, gained, lost, tasks):
            kept = middle
        else:
            rejected = middle
    return rejected


def _error(difference: float, gained: int, lost: int, tasks: int) -> float:
    """Return the standard error of `gained - lost` if the true difference is `difference`."""
    linear = (2 * tasks - gained + lost) * difference - gained - lost
    constant = -lost * difference * (1 - difference)
    root = math.sqrt(max(0.0, linear**2 - 8 * tasks * constant))
    losing = (root - linear) / (4 * tasks)  # the most likely share of lost tasks
    return math.sqrt(max(0.0, tasks * (2 * losing + difference * (1 - difference))))
