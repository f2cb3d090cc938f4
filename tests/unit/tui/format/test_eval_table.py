"""The evaluation report as terminal lines."""

from __future__ import annotations

import sys

import click
import pytest
from rich.cells import cell_len

from sandbox_tui.core.evals.reporting.columns import columns_of
from sandbox_tui.core.evals.reporting.table import eval_table
from sandbox_tui.sessions.interchange.redaction import Redactor
from sandbox_tui.tui.cli.evals.coloured_lines import write_lines
from sandbox_tui.tui.format.column_blocks import MIN_WIDTH
from sandbox_tui.tui.format.evals.eval_table import report_lines, report_text, table_blocks
from tests.unit.core.evals.reporting.hostile import HOSTILE_INFO, hostile_results
from tests.unit.core.evals.reporting.sample_results import INFO, evaluation, result

SMALL = [
    result(task, mode, score, input_tokens=read, output_tokens=100, began_at=100, **more)
    for task, mode, score, read, more in (
        ("a", "vanilla", 0.0, 900, {"scoring_seconds": 0.5}),
        ("b", "vanilla", 1.0, 900, {"scoring_seconds": 0.5}),
        ("a", "sandbox", 1.0, 400, {"seconds": 20, "steps": 3}),
        ("b", "sandbox", 1.0, 400, {"seconds": 20, "steps": 4}),
    )
]


def test_the_table_at_80_columns() -> None:
    text = report_text(eval_table(INFO, SMALL), 80)
    assert text.startswith(
        "pocket · small-0.5b\n"
        "\n"
        "domain  mode     done              score %            difference  tokens  ratio\n"
        "math    vanilla   2/2     50.0 [9.5, 90.5]                     –    1.0k      –\n"
        "        sandbox   2/2  100.0 [34.2, 100.0]  +50.0 [-48.6, +90.5]     500  0.50×\n"
        "\n"
        "domain  mode     generated  q/min  q/min ratio  seconds  scoring s  steps\n"
        "math    vanilla     10.0 %      –            –     10.0        0.5    1.0\n"
        "        sandbox     20.0 %      –            –     20.0        0.0    3.5\n"
    )
    assert "command: sandbox-tui eval run pocket --model small-0.5b\n" in text
    assert text.endswith("\n\n--explain says how each figure is computed.")


def test_how_figures_are_computed_is_printed_on_request() -> None:
    table = eval_table(INFO, SMALL)
    brief, whole = (report_text(table, 80, explain=explain) for explain in (False, True))
    assert "\nIntervals: 95%, over tasks: the samples of one task count as one." in whole
    assert "Intervals: " not in brief
    assert "--explain" not in whole


@pytest.mark.parametrize("width", [0, 40, 61, 80, 132, 300])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for info, results in ((INFO, evaluation(3)), (HOSTILE_INFO, hostile_results()), (INFO, [])):
        text = report_text(eval_table(info, results), width)
        assert max(map(cell_len, text.split("\n"))) <= max(width, MIN_WIDTH)


def test_every_column_is_in_one_block_at_any_width() -> None:
    table = eval_table(INFO, evaluation(3))
    heads = [lines[0].text for lines in table_blocks(table, 300)]
    assert len(heads) == 1
    titles = [column.title for column in columns_of(table)]
    assert heads[0].split("  ")[-1] == titles[-1]
    for width in (60, 80, 100):
        narrow = [lines[0].text for lines in table_blocks(table, width)]
        assert "".join(narrow).split() == " ".join(titles).split()


def test_wide_domains_keep_the_columns_straight() -> None:
    rows = [result("a", "vanilla", 1.0, domain="数学と物理学の長い名前の領域")]
    lines = next(iter(table_blocks(eval_table(INFO, rows), 80)))
    assert len({cell_len(line.label) for line in lines}) == 1


def test_hostile_texts_are_harmless() -> None:
    text = report_text(eval_table(HOSTILE_INFO, hostile_results()), 80)
    assert text.replace("\n", "").isprintable()


def test_colours_say_what_intervals_say() -> None:
    sure = [result(task, "vanilla", 0.0) for task in "abcdef"]
    sure += [result(task, "sandbox", 1.0) for task in "abcdef"]
    kinds = [line.kind for line in next(iter(table_blocks(eval_table(INFO, sure), 80)))]
    assert kinds == ["head", "baseline", "better"]
    kinds = [line.kind for line in next(iter(table_blocks(eval_table(INFO, SMALL), 80)))]
    assert kinds[2] == "even"


@pytest.mark.parametrize("no_color", ["", "1"])
def test_lines_have_colours_on_a_terminal_alone(
    no_color: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    sure = [result(task, "vanilla", 0.0) for task in "abcdef"]
    sure += [result(task, "sandbox", 1.0) for task in "abcdef"]
    table = eval_table(INFO, sure)
    for is_terminal in (False, True):
        monkeypatch.setattr(sys.stdout, "isatty", lambda is_terminal=is_terminal: is_terminal)
        write_lines(report_lines(table, 80), Redactor(["small-0.5b"]))
        text = capsys.readouterr().out
        assert "small-0.5b" not in text
        assert ("\x1b[32m" in text) == (is_terminal and not no_color)
        bare = click.unstyle(text).splitlines()
        assert bare[2:] == Redactor(["small-0.5b"]).text(report_text(table, 80)).splitlines()[2:]
