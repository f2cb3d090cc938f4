"""The tasks that an evaluation did not solve."""

from __future__ import annotations

from sandbox_tui.core.evals.reporting.table import eval_table
from sandbox_tui.core.evals.reporting.unsolved import unsolved_tasks
from sandbox_tui.sessions.evals.report.html import html_report
from sandbox_tui.sessions.evals.report.report import eval_report
from sandbox_tui.tui.format.evals.eval_table import report_text
from tests.unit.core.evals.reporting.sample_results import INFO, result

RESULTS = [
    result("a", "vanilla", 1.0),
    result("a", "sandbox", 0.0, answer="7", target="8", explanation="7 is not 8."),
    result("b", "sandbox", 0.0),
    result("b", "sandbox", 1.0, number=2),
    result("c", "sandbox", 0.0),
    result("c", "sandbox", status="pending", number=2),
    result("d", "sandbox", status="failed", finish_reason="time_limit", answer=None),
]
QUESTIONS = {"a": "What is 4 + 4?"}


def test_only_tasks_without_any_success_are_unsolved() -> None:
    """Not b, which one of two samples solved, nor c, of which a sample is left."""
    found = unsolved_tasks(RESULTS, QUESTIONS)
    assert [(one.sample.task, one.sample.mode) for one in found] == [
        ("a", "sandbox"),
        ("d", "sandbox"),
    ]
    wrong, late = found
    assert (wrong.question, wrong.answer, wrong.expected, wrong.why) == (
        "What is 4 + 4?", "7", "8", "7 is not 8.",
    )  # fmt: skip
    assert (late.answer, late.why) == ("no answer", "time limit")


def test_reports_name_the_unsolved_tasks() -> None:
    report = eval_report(INFO, RESULTS, questions=QUESTIONS)
    text = report_text(report.table, 100, unsolved=report.unsolved)
    assert (
        "not solved:\n  a sandbox: What is 4 + 4?\n    answer 7, expected 8 (7 is not 8.)\n" in text
    )
    page = html_report(report)
    assert "    no answer" in text
    assert "answer no answer" not in text
    assert "not solved</h2>" in page
    assert '<td class="text"><div>What is 4 + 4?</div></td>' in page


def test_a_long_list_is_cut_and_says_so() -> None:
    results = [result(f"t{n:02}", "sandbox", 0.0) for n in range(32)]
    found = unsolved_tasks(results, {})
    text = report_text(eval_table(INFO, results), 80, unsolved=found)
    assert "  t19 sandbox" in text
    assert "  t20 sandbox" not in text
    assert "… and 12 more" in text
    assert "… and 12 more" in html_report(eval_report(INFO, results))


def test_without_unsolved_tasks_nothing_is_listed() -> None:
    report = eval_report(INFO, [result("a", "sandbox", 1.0)])
    assert "not solved" not in report_text(report.table, 80, unsolved=report.unsolved)
    assert "not solved" not in html_report(report)
