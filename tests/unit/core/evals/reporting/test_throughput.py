"""The share of the wall clock that each sample took."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.evals.reporting.throughput import busy_seconds, wall_clock_shares
from sandbox_tui.core.evals.sample import SampleResult
from tests.unit.core.evals.reporting.sample_results import result


def ran(name: str, began: float, seconds: float, status: str = "scored") -> SampleResult:
    return result(name, "sandbox", 1.0, began_at=began, seconds=seconds, status=status)


def shares(*results: SampleResult, now: float = 0.0) -> dict[str, float]:
    return {key.task: share for key, share in wall_clock_shares(results, now).items()}


def test_what_runs_at_once_shares_the_time() -> None:
    assert shares(ran("a", 10, 30), ran("b", 20, 10), ran("c", 100, 5)) == {
        "a": 10 + 5 + 10,
        "b": 5,
        "c": 5,
    }


def test_samples_that_have_not_finished() -> None:
    left = ran("p", 0, 0, "pending")
    given_back = ran("g", 10, 20, "pending")
    runs = ran("r", 10, 0, "running")
    assert shares(left, given_back, runs) == {}
    assert shares(left, given_back, runs, ran("a", 20, 10), now=40) == {"r": 10 + 5 + 10, "a": 5}
    assert shares(ran("n", math.nan, 1), ran("i", 1, math.inf)) == {}


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 20)), min_size=1, max_size=30))
def test_together_they_are_the_time_in_which_any_ran(runs: list[tuple[int, int]]) -> None:
    found = shares(*(ran(f"t{n}", began, seconds) for n, (began, seconds) in enumerate(runs)))
    busy = {at for began, seconds in runs for at in range(began, began + seconds)}
    assert sum(found.values()) == pytest.approx(len(busy))


def test_the_time_between_two_programs_is_not_busy() -> None:
    def ended(name: str, began: float, at: float) -> SampleResult:
        return result(name, "sandbox", 1.0, began_at=began, ended_at=at)

    by = busy_seconds([ended("a", 10, 40), ended("b", 20, 30), ended("c", 100, 105)])
    assert [by(moment) for moment in (5, 10, 25, 40, 70, 100, 105, 200)] == [
        *(0, 0, 15, 30),
        *(30, 30, 35, 35),
    ]
    assert busy_seconds([])(7) == 0


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 10**4)), max_size=20))
def test_busy_seconds_never_decrease(spans: list[tuple[int, int]]) -> None:
    results = [
        result(str(n), "sandbox", 1.0, began_at=began, ended_at=began + seconds)
        for n, (began, seconds) in enumerate(spans)
    ]
    by = busy_seconds(results)
    moments = sorted(one.ended_at for one in results)
    busy = [by(moment) for moment in moments]
    assert busy == sorted(busy)
    assert not busy or 0 <= busy[-1] <= moments[-1]
