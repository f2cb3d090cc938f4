"""Intervals of right and wrong answers, against published ones and exact probabilities."""

from __future__ import annotations

import math

import pytest

from sandbox_tui.core.evals.reporting.score_intervals import tango, wilson


@pytest.mark.parametrize(
    ("right", "tasks", "ends"),
    [
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
    ],
)
def test_wilson_gives_the_published_intervals(
    right: int, tasks: int, ends: tuple[float, float]
) -> None:
    """From R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in
    Medicine 17 (1998), table I."""
    assert wilson(right, tasks) == pytest.approx(ends, abs=5e-5)
    assert wilson(tasks - right, tasks) == pytest.approx((1 - ends[1], 1 - ends[0]), abs=5e-5)


def test_tango_gives_a_published_interval() -> None:
    """From M. W. Fagerland and others, Recommended tests and confidence intervals for paired
    binomial proportions, Statistics in Medicine 33 (2014): 1 gained, 7 lost, 21 pairs."""
    assert tango(1, 7, 21) == pytest.approx((-0.517, -0.026), abs=5e-4)


@pytest.mark.parametrize(("gained", "lost"), [(3, 0), (4, 0), (7, 1), (12, 4), (8, 4)])
def test_tango_excludes_zero_as_mcnemars_test_does(gained: int, lost: int) -> None:
    low, high = tango(gained, lost, 20)
    assert (low > 0) == ((gained - lost) / math.sqrt(gained + lost) > 1.96)
    assert low < (gained - lost) / 20 < high
    assert tango(lost, gained, 20) == (-high, -low)


@pytest.mark.parametrize(("gain", "loss"), [(0.1, 0.1), (0.3, 0.1), (0.05, 0.0), (0.8, 0.1)])
def test_tango_contains_the_true_difference_often_enough(gain: float, loss: float) -> None:
    covered = 0.0
    for gained in range(11):
        for lost in range(11 - gained):
            low, high = tango(gained, lost, 10)
            if low <= gain - loss <= high:
                ways = math.comb(10, gained) * math.comb(10 - gained, lost)
                rest = (1 - gain - loss) ** (10 - gained - lost)
                covered += ways * gain**gained * loss**lost * rest
    assert covered > 0.94
