"""Comparing two evaluations: as text, Markdown and HTML."""

from __future__ import annotations

import msgspec
import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len

from sandbox_tui.core.evals.reporting.comparison import compare_evals
from sandbox_tui.sessions.evals.report.compare import comparison_html, comparison_markdown
from sandbox_tui.tui.format.compared.eval_comparison import MAX_CHANGES, comparison_text
from tests.unit.core.evals.reporting.hostile import HOSTILE, HOSTILE_INFO, hostile_results
from tests.unit.core.evals.reporting.sample_results import INFO, evaluation, result
from tests.unit.sessions.evals.report.test_formats import Tags

OTHER = msgspec.structs.replace(INFO, id="e-2", model="larger-7b")
LEFT = [result("a", "sandbox", 0.0, run_id="old"), result("b", "sandbox", 1.0)]
RIGHT = [
    result("a", "sandbox", 1.0, run_id="new", input_tokens=180),
    result("b", "sandbox", 1.0, input_tokens=180),
    result("c", "sandbox", 1.0),
]
SMALL = compare_evals(INFO, LEFT, OTHER, RIGHT)
HOSTILE_ONE = compare_evals(
    HOSTILE_INFO,
    hostile_results(),
    msgspec.structs.replace(HOSTILE_INFO, suite="another", digest="another"),
    [msgspec.structs.replace(r, score=None if r.score is None else 1 - r.score)
     for r in hostile_results()],
    ("Their prompts differ.",),
)  # fmt: skip


def test_text_by_hand() -> None:
    assert comparison_text(SMALL, 100) == (
        "pocket · small-0.5b and larger-7b\n"
        "left: e-1, model small-0.5b\n"
        "right: e-2, model larger-7b\n"
        "\n"
        "domain  mode     tasks            left %              right %            difference  tokens ratio\n"
        "math    sandbox      2  50.0 [9.5, 90.5]  100.0 [34.2, 100.0]  +50.0 [-48.6, +90.5]          2.0×\n"
        "\n"
        "domain  mode     unpaired\n"
        "math    sandbox         1\n"
        "\n"
        "difference: right minus left, on tasks with a score in both, with its 95 % interval.\n"
        "sandbox: c has a score only on the right.\n"
        "0 tasks worse on the right, 1 task better on the right.\n"
        "  + 0.0 → 100.0  sandbox  math  a"
    )


def test_how_figures_are_computed_is_printed_on_request() -> None:
    brief, whole = (comparison_text(SMALL, 100, explain=explain) for explain in (False, True))
    assert whole.startswith(brief)
    assert "Pairs: " not in brief
    for words in ("left: e-1, pocket 0123456789abcdef, ", "Pairs: ", "Intervals: "):
        assert words in whole


def test_lines_and_columns_without_figures_are_left_out() -> None:
    left = [*LEFT, result("p", "sandbox", 1.0, domain="physics")]
    text = comparison_text(compare_evals(INFO, left, OTHER, RIGHT), 100)
    assert "No task has a score in both: physics sandbox." in text
    assert "–" not in text
    same = comparison_text(compare_evals(INFO, LEFT, OTHER, LEFT), 100)
    assert "unpaired" not in same
    assert "tokens ratio" in same


def test_what_was_asked_differently_is_said_before_any_figure() -> None:
    text = comparison_text(HOSTILE_ONE, 80)
    assert text.index("Their prompts differ.") < text.index("difference")


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    many = compare_evals(INFO, evaluation(40, seed=1), OTHER, evaluation(40, seed=2))
    assert len(many.changes) > MAX_CHANGES
    for found in (SMALL, HOSTILE_ONE, many):
        text = comparison_text(found, width)
        assert max(map(cell_len, text.split("\n"))) <= width
        assert text.replace("\n", "").isprintable()
    assert f"and {len(many.changes) - MAX_CHANGES} more" in comparison_text(many, width)


def test_markdown_by_hand() -> None:
    text = comparison_markdown(SMALL, {"new": "sessions/new.html"})
    assert "| math | sandbox | 2 | 50.0 [9.5, 90.5] | 100.0 [34.2, 100.0] |" in text
    assert "| a | math | sandbox | 0.0 | [100.0](sessions/new.html) |" in text


def test_html_links_changes_to_their_sessions() -> None:
    page = Tags(comparison_html(SMALL, {"new": "sessions/new.html", "old": "sessions/old.html"}))
    assert page.links == ["sessions/old.html", "sessions/new.html"]
    assert "1 task better on the right" in page.text


def test_suites_that_differ_are_reported() -> None:
    assert "Their prompts differ" in comparison_text(HOSTILE_ONE, 80)
    assert "Their prompts differ" in comparison_markdown(HOSTILE_ONE)
    assert "Their prompts differ" in Tags(comparison_html(HOSTILE_ONE)).text
    assert "differ." not in comparison_text(SMALL, 80)


def test_nothing_hostile_can_act() -> None:
    assert HOSTILE_ONE.changes
    links = {HOSTILE: "sessions/x.html"}
    page = Tags(comparison_html(HOSTILE_ONE, links))
    assert page.tags["script"] == page.tags["img"] == 0
    assert set(page.links) == {"sessions/x.html"}
    text = comparison_markdown(HOSTILE_ONE)
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    every = [inner for token in tokens for inner in (token, *(token.children or ()))]
    assert not [t for t in every if t.type in ("html_block", "html_inline", "link_open", "image")]
