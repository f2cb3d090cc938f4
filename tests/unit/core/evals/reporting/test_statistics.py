"""Means, paired differences and their intervals."""

from __future__ import annotations

import math
import random
import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.evals.reporting.score_intervals import NORMAL_POINT
from sandbox_tui.core.evals.reporting.statistics import (
    MAX_GROUPS,
    MIN_CERTAIN_TASKS,
    MIN_NORMAL_TASKS,
    RESAMPLES,
    Estimate,
    estimate,
    mean_score,
    paired_difference,
)
from tests.examples import examples

SCORES = st.floats(0, 1, allow_nan=False)
BY_TASK = st.dictionaries(st.text(max_size=4), st.lists(SCORES, max_size=4), max_size=12)


def test_each_task_counts_once() -> None:
    found = mean_score({"a": [1, 1, 1, 1], "b": [0], "c": []})
    assert found is not None
    assert (found.value, found.tasks) == (0.5, 2)


def test_two_tasks_of_which_one_is_right() -> None:
    """A resample draws two tasks: both are wrong with probability 1/4, both right with 1/4."""
    assert estimate([0, 1]) == Estimate(0.5, 0, 1, 2)


def test_no_task_and_one_task() -> None:
    assert mean_score({}) is None
    assert mean_score({"a": []}) is None
    assert mean_score({"a": [0.25, 0.75]}) == Estimate(0.5, None, None, 1)


def test_equal_scores_have_no_interval() -> None:
    assert estimate([0.1] * 30) == Estimate(0.1, None, None, 30)
    assert mean_score({"a": [0.5], "b": [0.5]}) == Estimate(0.5, None, None, 2)


@pytest.mark.parametrize("tasks", [1, 2, 3, 140])
def test_rights_and_wrongs_have_a_wide_interval_even_if_all_are_equal(tasks: int) -> None:
    wrong = {str(task): [0] for task in range(tasks)}
    right = {str(task): [1, 1] for task in range(tasks)}
    near: Any = pytest.approx
    width = NORMAL_POINT**2 / (tasks + NORMAL_POINT**2)
    assert mean_score(wrong) == Estimate(0, 0, near(width), tasks)
    assert mean_score(right) == Estimate(1, near(1 - width), 1, tasks)
    same = Estimate(0, near(-width), near(width), tasks)
    assert paired_difference(wrong, wrong) == same
    assert paired_difference(right, right) == same
    better = paired_difference(wrong, right)
    assert better is not None
    assert better.certainty == ("even" if tasks < MIN_CERTAIN_TASKS else "better")


@pytest.mark.parametrize(
    ("tasks", "right"), [(20, 5), (100, 50), (390, 20), (400, 5), (700, 600), (5000, 2500)]
)
def test_the_interval_of_rights_and_wrongs_is_that_of_the_binomial_distribution(
    tasks: int, right: int
) -> None:
    """A resample's mean is Binomial(n, k/n) / n: its 2.5 % and 97.5 % points are known exactly."""
    found = estimate([1.0] * right + [0.0] * (tasks - right))
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    error = 1e-9 + max(1 / tasks, 0.3 * math.sqrt(right / tasks * (1 - right / tasks) / tasks))
    assert found.low == pytest.approx(binomial_point(tasks, right / tasks, 0.025), abs=error)
    assert found.high == pytest.approx(binomial_point(tasks, right / tasks, 0.975), abs=error)


def binomial_point(n: int, p: float, share: float) -> float:
    below = 0.0
    for k in range(n + 1):
        log = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        below += math.exp(log + k * math.log(p) + (n - k) * math.log(1 - p))
        if below >= share:
            return k / n
    return 1.0


@pytest.mark.parametrize("groups", [{-1: 40, 0: 300, 1: 160}, {0: 380, 0.25: 15, 1: 5}])
def test_many_tasks_have_the_interval_that_resampling_them_gives(groups: dict[float, int]) -> None:
    values = [value for value, count in groups.items() for _ in range(count)]
    rng, size = random.Random(1), len(values)
    assert size >= MIN_NORMAL_TASKS
    means = sorted(statistics.fmean(rng.choices(values, k=size)) for _ in range(4000))
    found = estimate(values)
    assert found is not None
    error = 0.15 * statistics.pstdev(values) / math.sqrt(size)
    assert found.low == pytest.approx(means[100], abs=error)
    assert found.high == pytest.approx(means[-101], abs=error)


def test_many_different_scores_have_the_width_that_theory_gives() -> None:
    rng = random.Random(3)
    scores = [rng.random() ** 2 for _ in range(2000)]
    assert len(set(scores)) > MAX_GROUPS
    found = estimate(scores)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found.value == pytest.approx(statistics.fmean(scores))
    expected = 2 * 1.96 * statistics.stdev(scores) / math.sqrt(len(scores))
    assert found.high - found.low == pytest.approx(expected, rel=0.1)


def test_samples_of_a_task_stay_together() -> None:
    """16 equal samples of a task are no more evidence than one."""
    one = mean_score({str(task): [task % 2] for task in range(30)})
    many = mean_score({str(task): [task % 2] * 16 for task in range(30)})
    assert one == many


def test_a_paired_difference_is_over_the_tasks_of_both() -> None:
    base = {"a": [0, 1], "b": [1], "only here": [1], "unscored there": [1]}
    other = {"a": [1, 1], "b": [0], "only there": [0], "unscored there": []}
    found = paired_difference(base, other)
    assert found is not None
    assert (found.value, found.tasks) == (-0.25, 2)
    assert paired_difference({"a": [1]}, {"b": [1]}) is None


def test_pairing_takes_away_what_the_tasks_have_in_common() -> None:
    """Hard and easy tasks all improve by 0.125 or 0.25, so the paired difference spreads little."""
    base = {str(n): [0.0 if n < 10 else 0.5] for n in range(20)}
    better = {task: [scores[0] + 0.125 * (1 + int(task) % 2)] for task, scores in base.items()}
    found = paired_difference(base, better)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert 0.125 < found.low < found.value == 0.1875 < found.high < 0.25
    assert found.certainty == "better"
    assert Estimate(-0.1, -0.2, -0.01, 9).certainty == "worse"
    assert Estimate(0.1, 0, 0.2, 9).certainty == "even"
    assert Estimate(0.1, 0.05, 0.2, 5).certainty == "even"
    assert Estimate(0.1, None, None, 1).certainty == "even"


@examples(60)
@given(BY_TASK)
def test_intervals_hold_their_mean(scores: dict[str, list[float]]) -> None:
    found = mean_score(scores)
    assert (found is None) == (not any(scores.values()))
    if found is not None and found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high


@examples(40)
@given(BY_TASK, st.randoms(use_true_random=False))
def test_the_order_of_samples_and_tasks_does_not_matter(
    scores: dict[str, list[float]], rng: random.Random
) -> None:
    other = list(scores.items())
    rng.shuffle(other)
    shuffled = {task: rng.sample(found, len(found)) for task, found in other}
    assert mean_score(shuffled) == mean_score(scores)


@examples(40)
@given(BY_TASK)
def test_nothing_differs_from_itself(scores: dict[str, list[float]]) -> None:
    found = paired_difference(scores, scores)
    assert found is None or (found.value, found.certainty) == (0, "even")


def test_an_interval_costs_few_random_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing 399 tasks for each of the 1,000 resamples would take 399,000 random numbers."""
    calls = 0

    class Counting(random.Random):
        def getrandbits(self, k: int) -> int:
            nonlocal calls
            calls += 1
            return super().getrandbits(k)

    monkeypatch.setattr("sandbox_tui.core.evals.reporting.statistics.random.Random", Counting)
    assert estimate([1.0] * 201 + [0.0] * (MIN_NORMAL_TASKS - 202))
    assert 0 < calls < 25 * RESAMPLES
    calls = 0
    assert estimate([1.0] * 3001 + [0.0] * 1999)
    assert calls == 0
