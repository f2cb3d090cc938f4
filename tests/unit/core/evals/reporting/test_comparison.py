"""Two evaluations, paired by task."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given

from sandbox_tui.core.evals.reporting.comparison import PairedCell, ScoreChange, compare_evals
from sandbox_tui.core.evals.reporting.comparison_words import paired_warning, unpaired_remarks
from sandbox_tui.core.evals.reporting.score_intervals import tango, wilson
from sandbox_tui.core.evals.reporting.statistics import Estimate
from sandbox_tui.core.evals.reporting.suite_differences import (
    NO_COMMON_TASK,
    sandbox_difference,
    suite_differences,
)
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions.evals.report.compare import comparison_html, comparison_markdown
from sandbox_tui.tui.format.compared.eval_comparison import comparison_text
from tests.examples import examples
from tests.unit.core.evals.reporting.sample_results import INFO, evaluation, result
from tests.unit.core.evals.reporting.test_table import ROWS

OTHER = msgspec.structs.replace(INFO, id="e-2", model="larger-7b")


def test_pairs_by_hand() -> None:
    left = [
        result("a", "sandbox", 0.0, input_tokens=900, output_tokens=100),
        result("b", "sandbox", 1.0, input_tokens=900, output_tokens=100),
        result("c", "sandbox", 1.0),
        result("d", "sandbox", status="failed"),
        result("a", "vanilla", 1.0),
    ]
    right = [
        result("a", "sandbox", 1.0, input_tokens=400, output_tokens=100, run_id="new"),
        result("b", "sandbox", 1.0, input_tokens=400, output_tokens=100),
        result("d", "sandbox", 1.0),
        result("a", "sandbox-context", 1.0),
    ]
    found = compare_evals(INFO, left, OTHER, right)
    (math,) = found.cells  # one for all domains would repeat it
    assert math == PairedCell(
        domain="math",
        mode="sandbox",
        left=Estimate(0.5, *wilson(1, 2), 2),
        right=Estimate(1, *wilson(2, 2), 2),
        difference=Estimate(0.5, *tango(1, 0, 2), 2),
        tokens_ratio=0.5,
        left_only=("c",),
        right_only=("d",),
    )
    assert math.unpaired == 2
    assert unpaired_remarks(found) == [
        "sandbox: c has a score only on the left.",
        "sandbox: d has a score only on the right.",
    ]
    assert found.changes == (ScoreChange("sandbox", "math", "a", 0, 1, "sandbox-a", "new"),)
    assert found.changes[0].is_better
    assert found.differences == ()


def test_tasks_are_paired_by_id_although_their_domains_differ() -> None:
    left = [result(name, "sandbox", 1.0, domain="") for name in "abc"]
    right = [
        result("a", "sandbox", 0.0, domain="logic"),
        result("b", "sandbox", 1.0, domain="math"),
        result("c", "sandbox", 1.0, domain=""),
    ]
    found = compare_evals(INFO, left, OTHER, right)
    assert [(one.domain, one.task) for one in found.changes] == [("logic", "a")]
    assert {cell.domain: cell.unpaired for cell in found.cells} == {
        "logic": 0,
        "math": 0,
        "other": 0,
        "all": 0,
    }
    text = comparison_text(found, 200)
    assert "1 task worse on the right" in text
    assert "2 tasks have another domain on the right" in text
    assert "No task has a score in both" not in text
    for words in (comparison_markdown(found), comparison_html(found)):
        assert "2 tasks have another domain on the right" in words


def test_a_task_with_two_domains_counts_towards_the_left_one() -> None:
    left = [result("a", "sandbox", 1.0, domain="math"), result("b", "sandbox", 1.0)]
    right = [result("a", "sandbox", 0.0, domain="logic"), result("b", "sandbox", 1.0)]
    found = compare_evals(INFO, left, OTHER, right)
    assert [(one.domain, one.task) for one in found.changes] == [("math", "a")]
    assert compare_evals(OTHER, right, INFO, left).changes[0].domain == "logic"


def test_many_unpaired_tasks_are_counted_after_the_first() -> None:
    left = [result(f"t{n:02}", "sandbox", 1.0) for n in range(14)]
    found = compare_evals(INFO, left, OTHER, left[:2])
    (words,) = unpaired_remarks(found)
    assert words == (
        "sandbox: t02, t03, t04, t05, t06, t07, t08, t09, t10, t11 and 2 more have a score only on "
        "the left."
    )


def test_several_domains_have_a_total() -> None:
    rows = [result("a", "sandbox", 1.0), result("b", "sandbox", 0.0, domain="physics")]
    found = compare_evals(INFO, rows, OTHER, rows)
    assert [cell.domain for cell in found.cells] == ["math", "physics", "all"]


@pytest.mark.parametrize(
    ("right", "words"),
    [
        (result("b", "sandbox", 1.0), NO_COMMON_TASK),
        (result("a", "vanilla", 1.0), "They have no mode in common."),
        (result("a", "sandbox", status="failed"), "No task has a score in both yet; 1 task in"),
        (result("a", "sandbox", 1.0), ""),
    ],
)
def test_what_cannot_be_compared_is_said_before_any_figure(right: SampleResult, words: str) -> None:
    differences = (NO_COMMON_TASK,) if words == NO_COMMON_TASK else ()
    found = compare_evals(INFO, [result("a", "sandbox", 1.0)], OTHER, [right], differences)
    warning = paired_warning(found)
    assert warning.startswith(words)
    assert bool(warning) == bool(words)
    printed = comparison_text(found, 80)
    markdown, page = comparison_markdown(found), comparison_html(found)
    for text in (printed, markdown, page):
        assert words in text
        assert text.count(NO_COMMON_TASK) == (words == NO_COMMON_TASK)
        has_table = words != NO_COMMON_TASK if text is not printed else not words
        assert ("right %" in text.split("Pairs")[0]) == has_table
        assert ("Every task has the same score" in text) == (not words)
    if words:
        assert printed.splitlines()[-1].startswith(words[:20])


TASKS = tuple(Task(id=f"t{n}", problem=f"{n} + {n}?", target=str(2 * n)) for n in range(3))
SUITE = Suite(name="sums", tasks=TASKS, scorers={"": "number"})


def test_fewer_tasks_modes_or_samples_are_no_difference() -> None:
    fewer = replace(SUITE, name="some", tasks=TASKS[:1], modes=("vanilla",), samples=4, seed=7)
    assert suite_differences(SUITE, fewer, {"prompts": "a"}, {"vanilla_prompts": "b"}) == ()


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (
            {"tasks": (*TASKS[:2], Task(id="t2", problem="?", target="7"))},
            "1 of the 3 tasks with the same id in both differs: task t2: question, target 4 → 7.",
        ),
        (
            {"tasks": tuple(msgspec.structs.replace(task, files={"a": b""}) for task in TASKS)},
            "3 of the 3 tasks with the same id in both differ: "
            "task t0: files; task t1: files; task t2: files.",
        ),
        ({"scorers": {"": "exact"}}, "3 of the 3 tasks in both are scored in another way."),
        ({"scorer_options": {"number": {"tolerance": 1}}}, "3 of the 3 tasks in both are scored"),
        (
            {"limits": {"max_steps": 3}, "window": 9},
            "max steps (not set, 3), room for documents (not set, 9)",
        ),
        ({"tasks": (Task(id="x", problem="?", target="4"),)}, NO_COMMON_TASK),
    ],
)
def test_what_was_not_asked_in_the_same_way_is_said(other: dict[str, Any], words: str) -> None:
    (said,) = suite_differences(SUITE, replace(SUITE, **other), {}, {})
    assert words in said


def test_only_a_few_tasks_that_differ_are_named() -> None:
    left, right = (
        tuple(Task(id=f"t{n}", problem="?", target=target) for n in range(5))
        for target in ("x" * 99 + "y", "x" * 99 + "z")
    )
    (said,) = suite_differences(replace(SUITE, tasks=left), replace(SUITE, tasks=right), {}, {})
    assert said.endswith("task t1: target; task t2: target; and 2 more.")


def test_sandboxes_are_compared_as_resolved() -> None:
    asked = replace(SUITE, sandbox={"kind": "auto"})
    named = replace(SUITE, sandbox={"kind": "bubblewrap", "network": "none"})
    assert suite_differences(SUITE, asked, {}, {}) == ()
    assert suite_differences(asked, named, {}, {}) == (
        "Their suites set other values: sandbox network (not set, none).",
    )
    auto, used = (msgspec.structs.replace(INFO, sandbox=kind) for kind in ("auto", "bubblewrap"))
    assert sandbox_difference(auto, used) == sandbox_difference(used, used) == ()
    assert sandbox_difference(INFO, used) == ("Their sandboxes differ (docker, bubblewrap).",)


def test_prompts_that_differ_are_said() -> None:
    said = suite_differences(SUITE, SUITE, {"prompts": "a"}, {"prompts": "b"})
    assert said == ("Their prompts differ.",)


@examples(30)
@given(ROWS)
def test_nothing_differs_from_itself(rows: list[SampleResult]) -> None:
    found = compare_evals(INFO, rows, INFO, rows)
    assert found.changes == ()
    for cell in found.cells:
        assert cell.left == cell.right
        assert cell.unpaired == 0
        assert cell.difference is None or cell.difference.value == 0
        assert cell.tokens_ratio in (None, pytest.approx(1))


def test_the_order_of_rows_does_not_matter() -> None:
    rng = random.Random(1)
    left, right = evaluation(seed=1), evaluation(seed=2)
    again = rng.sample(left, len(left)), rng.sample(right, len(right))
    assert compare_evals(INFO, left, OTHER, right) == compare_evals(INFO, again[0], OTHER, again[1])


def test_a_change_names_sessions_whose_scores_differ() -> None:
    def sampled(side: str, *scores: float) -> list[SampleResult]:
        return [
            result("a", "sandbox", score, number=number, run_id=f"{side}-{number}")
            for number, score in enumerate(scores, 1)
        ]

    (gained,) = compare_evals(INFO, sampled("l", 1, 0, 0), OTHER, sampled("r", 1, 1, 0)).changes
    assert (gained.left_run, gained.right_run) == ("l-2", "r-1")
    (lost,) = compare_evals(INFO, sampled("l", 0, 1, 1), OTHER, sampled("r", 0, 1, 0)).changes
    assert (lost.left_run, lost.right_run) == ("l-2", "r-1")


def test_every_task_whose_score_differs_is_listed_the_worst_first() -> None:
    def sampled(**scores: tuple[float, ...]) -> list[SampleResult]:
        return [
            result(task, "sandbox", score, number=number)
            for task, several in scores.items()
            for number, score in enumerate(several, 1)
        ]

    left = sampled(q1=(1, 1), q2=(1, 1), q3=(0, 1), q4=(0.1, 0.1), q5=(0, 0), q6=(1, 1))
    right = sampled(q1=(1, 0), q2=(0, 1), q3=(1, 0), q4=(0.1, 0.1, 0.1), q5=(1, 0), q6=(0, 0))
    found = compare_evals(INFO, left, OTHER, right)
    assert [(one.task, one.before, one.after) for one in found.changes] == [
        ("q6", 1, 0),
        ("q1", 1, 0.5),
        ("q2", 1, 0.5),
        ("q5", 0, 0.5),
    ]
    text = comparison_text(found, 100)
    assert "3 tasks worse on the right, 1 task better on the right." in text
    assert "  - 100.0 → 50.0  sandbox  math  q1" in text
