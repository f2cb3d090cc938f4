"""The table of domains by modes."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.meta_capabilities.capability import CountedCall, RunCapabilities
from sandbox_tui.core.evals.reporting.outcomes import ending_of, failure_kind
from sandbox_tui.core.evals.reporting.score_intervals import tango, wilson
from sandbox_tui.core.evals.reporting.statistics import Estimate
from sandbox_tui.core.evals.reporting.table import Cell, eval_table
from sandbox_tui.core.evals.sample import EVAL_MODES, SampleResult
from tests.examples import examples
from tests.unit.core.evals.reporting.sample_results import DOMAINS, INFO, evaluation, result


def cells(results: list[SampleResult], info: EvalInfo = INFO) -> dict[tuple[str, str], Cell]:
    table = eval_table(info, results)
    rows = (*table.rows, table.total)
    return {(row.domain, cell.mode): cell for row in rows for cell in row.cells}


def test_scores_and_differences_by_hand() -> None:
    found = cells(
        [
            result("a", "vanilla", 0.0),
            result("b", "vanilla", 1.0),
            result("a", "sandbox", 1.0),
            result("b", "sandbox", 1.0),
            result("c", "sandbox", 0.0),
        ]
    )
    base, other = found["math", "vanilla"], found["math", "sandbox"]
    assert base.score == Estimate(0.5, *wilson(1, 2), 2)
    assert base.difference is None
    assert other.score is not None
    assert other.score.value == pytest.approx(2 / 3)
    assert other.difference == Estimate(0.5, *tango(1, 0, 2), 2)  # a: +1, b: 0; c has no pair


def test_a_sample_without_a_score_is_not_a_zero() -> None:
    found = cells(
        [
            result("a", "sandbox", 1.0),
            result("b", "sandbox", status="failed", finish_reason="sandbox_error"),
            result("c", "sandbox", status="unscored", scorer="judge"),
            result("d", "sandbox", float("nan")),
            result("e", "sandbox", 7.0),
            result("f", "sandbox", status="running", finish_reason=""),
            result("g", "sandbox", status="pending", finish_reason=""),
        ]
    )["math", "sandbox"]
    assert found.score == Estimate(1, *wilson(1, 1), 1)
    counts = (found.samples, found.over, found.scored, found.unscored, found.failed)
    assert counts == (7, 5, 1, 3, 1)
    assert (found.running, found.pending) == (1, 1)
    kinds = (("scorer exact", 2), ("sandbox error", 1), ("scorer judge", 1))
    assert found.failures == kinds


@pytest.mark.parametrize(
    ("kind", "score", "fields"),
    [
        ("", 1.0, {}),
        ("", 0.0, {}),
        ("", 1.0, {"finish_reason": "max_steps"}),  # correct all the same
        ("max steps", 0.0, {"finish_reason": "max_steps", "answer": None}),
        ("token limit", 0.5, {"finish_reason": "token_limit"}),
        ("time limit", 0.0, {"finish_reason": "time_limit"}),
        ("repeated calls", 0.0, {"finish_reason": "repeated_calls"}),
        ("no answer", 0.0, {"answer": " \n"}),
        ("", 0.0, {"answer": None, "scorer": "swe_bench"}),
        ("scorer judge", None, {"status": "unscored", "scorer": "judge"}),
        ("model error", None, {"status": "failed", "finish_reason": "model_error"}),
        ("failed", None, {"status": "failed", "finish_reason": ""}),
        ("", None, {"status": "running", "finish_reason": ""}),
    ],
)
def test_the_kind_of_a_failure(kind: str, score: float | None, fields: dict[str, Any]) -> None:
    assert failure_kind(result("a", "sandbox", score, **fields)) == kind


def test_a_vanilla_reply_that_only_calls_a_tool_is_no_answer() -> None:
    """The limit of one step is none that anybody set."""
    called = result("a", "vanilla", 0.0, finish_reason="max_steps", answer=None)
    assert failure_kind(called) == "no answer"
    assert ending_of(called) == ""


def test_tokens_steps_and_pace_by_hand() -> None:
    found = cells(
        [
            result("a", "vanilla", 1.0, input_tokens=900, output_tokens=100, seconds=10),
            result("b", "vanilla", 1.0, input_tokens=2900, output_tokens=100, seconds=20),
            result("a", "sandbox", 1.0, input_tokens=100, output_tokens=100, seconds=40, steps=5),
            result("b", "sandbox", 1.0, input_tokens=200, output_tokens=100, seconds=20, steps=8),
            result("c", "sandbox", 1.0, input_tokens=1000, output_tokens=0, seconds=30, steps=2),
        ]
    )
    base, other = found["math", "vanilla"], found["math", "sandbox"]
    assert (base.tokens, base.generated) == (2000, 200 / 4000)
    assert (other.tokens, other.generated) == (500, 200 / 1500)
    assert other.tokens_ratio == 500 / 4000  # a and b only
    assert (base.tokens_ratio, base.seconds, other.seconds) == (None, 15, 30)
    assert (base.per_minute, other.per_minute) == (None, None)  # start times are unknown
    assert other.steps == 5


def test_the_pace_is_that_of_the_wall_clock() -> None:
    """Two samples at once, then, after an hour's pause and with scoring in between, one alone."""
    found = cells(
        [
            result("a", "vanilla", 1.0, began_at=100, seconds=100, scoring_seconds=400),
            result("a", "sandbox", 1.0, began_at=100, seconds=300),
            result("b", "vanilla", 1.0, began_at=3800, seconds=50),
            result("b", "sandbox", 1.0, began_at=3850, seconds=200),
        ]
    )
    base, other = found["math", "vanilla"], found["math", "sandbox"]
    assert base.per_minute == 60 * 2 / (50 + 50)
    assert other.per_minute == 60 * 2 / (250 + 200)
    assert other.per_minute_ratio == 10 / 45
    assert (base.seconds, base.scoring_seconds) == (75, 200)


def test_less_than_a_minute_shows_no_pace() -> None:
    """One task of half a second would say 120 a minute."""
    found = cells(
        [
            result("a", "vanilla", 1.0, began_at=100, seconds=0.5),
            result("a", "sandbox", 1.0, began_at=200, seconds=60),
        ]
    )
    assert found["math", "vanilla"].per_minute is None
    assert found["math", "sandbox"].per_minute == 1
    assert found["math", "sandbox"].per_minute_ratio is None, "without one value of the two"


def test_samples_of_a_task_weigh_as_one_in_ratios() -> None:
    found = cells(
        [
            result("a", "vanilla", 1.0, input_tokens=100, output_tokens=0),
            result("a", "sandbox", 1.0, input_tokens=100, output_tokens=0),
            result("a", "sandbox", 1.0, input_tokens=300, output_tokens=0, number=2),
            result("b", "vanilla", 1.0, input_tokens=100, output_tokens=0),
            result("b", "sandbox", 1.0, input_tokens=200, output_tokens=0),
        ]
    )
    assert found["math", "sandbox"].tokens_ratio == 2


def test_costs_cuts_and_memory() -> None:
    found = cells(
        [
            result("a", "sandbox", 1.0, cost=0.25, memory_idle=40, memory_peak=100),
            result("b", "sandbox", 1.0, cost=0.5, memory_idle=60, memory_peak=300),
            result("c", "sandbox", 1.0, cut_documents=3, estimated=True),
        ]
    )["math", "sandbox"]
    assert (found.cost, found.cost_unknown) == (0.75, 1)
    assert (found.memory_idle, found.memory_peak) == (50, 300)
    assert (found.cut, found.estimated) == (1, 1)


def test_shares_are_of_the_runs_that_were_looked_at() -> None:
    results = [result(task, "sandbox", 1.0) for task in "abc"]
    used = {
        "sandbox-a": RunCapabilities((CountedCall(1, "external", "pip install x"),)),
        "sandbox-b": RunCapabilities(),
    }
    (row,) = eval_table(INFO, results, capabilities=used).rows
    vanilla, sandbox = row.cells
    assert dict(sandbox.capabilities) == {"external": 0.5, "files": 0, "computation": 0}
    assert dict(vanilla.capabilities) == {}


def test_time_left_by_hand() -> None:
    results = [
        result("a", "sandbox", 1.0, seconds=100),
        result("b", "sandbox", status="running", began_at=1000.0),
        *(result(task, "sandbox", status="pending") for task in "cdefg"),
    ]
    # 40 s left of b plus five samples of 100 s, on four slots
    assert eval_table(INFO, results, now=1060.0).seconds_left == 540 / 4
    assert eval_table(INFO, results[:2], now=1060.0).seconds_left == 40
    assert eval_table(INFO, results[:2], now=9999.0).seconds_left is None  # longer than any other
    assert eval_table(INFO, results, now=9999.0).seconds_left == 500 / 4  # of the five samples
    assert eval_table(INFO, results[1:], now=1060.0).seconds_left is None
    assert eval_table(INFO, results[:1]).seconds_left == 0


def test_a_sample_that_outlasts_the_mean_is_compared_with_those_that_took_longer() -> None:
    results = [
        *(result(task, "sandbox", 1.0, seconds=1) for task in "abcdefgh"),
        *(result(task, "sandbox", 1.0, seconds=30) for task in "ij"),
        result("k", "sandbox", status="running", began_at=1000.0),
    ]
    assert eval_table(INFO, results, now=1000.5).seconds_left == pytest.approx(6.8 - 0.5)
    assert eval_table(INFO, results, now=1010.0).seconds_left == 20
    assert eval_table(INFO, results, now=1031.0).seconds_left is None


def test_time_left_is_unknown_until_every_mode_that_is_left_has_been_timed() -> None:
    """A reply without a computer says nothing about how long a sample with one takes."""
    replies = [result(task, "vanilla", 1.0, seconds=0.3) for task in "ab"]
    waiting = [result(task, "sandbox", status="pending") for task in "ab"]
    assert eval_table(INFO, [*replies, *waiting]).seconds_left is None
    timed = [result("a", "sandbox", 1.0, seconds=16), waiting[1]]
    assert eval_table(INFO, [*replies, *timed]).seconds_left == 16


def test_the_total_counts_each_task_once() -> None:
    results = evaluation()
    table = eval_table(INFO, results)
    assert [row.domain for row in table.rows] == list(DOMAINS)
    assert (table.samples, table.over) == (len(results), len(results))
    scores = [r.score for r in results if r.mode == "sandbox" and r.score is not None]
    score = table.total.cells[1].score
    assert score is not None
    assert score.value == pytest.approx(sum(scores) / len(scores))


def test_nothing_at_all() -> None:
    table = eval_table(INFO, [])
    assert (table.rows, table.samples, table.seconds_left) == ((), 0, 0)
    assert [cell.mode for cell in table.total.cells] == ["vanilla", "sandbox"]


def test_a_mode_that_the_description_does_not_name_has_a_column() -> None:
    table = eval_table(INFO, [result("a", "sandbox-context", 1.0)])
    assert table.modes == ("vanilla", "sandbox", "sandbox-context")
    only = msgspec.structs.replace(INFO, modes=("sandbox",))
    assert eval_table(only, [result("a", "sandbox", 1.0)]).total.cells[0].difference is None


ROWS = st.lists(
    st.builds(
        SampleResult,
        task=st.sampled_from("abcd"),
        mode=st.sampled_from(EVAL_MODES),
        number=st.integers(1, 2),
        domain=st.sampled_from(("", "math", "<b>")),
        status=st.sampled_from(("pending", "running", "scored", "unscored", "failed")),
        score=st.none() | st.floats(0, 1),
        seconds=st.floats(0, 1000),
        input_tokens=st.integers(0, 9999),
        output_tokens=st.integers(0, 9999),
        cost=st.none() | st.floats(0, 1),
    ),
    max_size=30,
)


@examples(60)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: list[SampleResult], rng: random.Random) -> None:
    assert eval_table(INFO, rng.sample(rows, len(rows))) == eval_table(INFO, rows)


@examples(60)
@given(ROWS)
def test_every_sample_is_counted_exactly_once(rows: list[SampleResult]) -> None:
    table = eval_table(INFO, rows)
    cells = [cell for row in table.rows for cell in row.cells]
    assert sum(cell.samples for cell in cells) == len(rows) == table.samples
    for cell in (*cells, *table.total.cells):
        parts = (cell.scored, cell.unscored, cell.failed, cell.running, cell.pending)
        assert sum(parts) == cell.samples
        assert sum(count for _, count in cell.failures) >= cell.unscored + cell.failed
