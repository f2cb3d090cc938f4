"""What is cut in the list of calls during a search: the lines around the match are shown."""

from __future__ import annotations

import json

import pytest

from sandbox_tui.core.events.items import CallItem
from sandbox_tui.tui.widgets.calls.rows.call_rows import call_lines
from sandbox_tui.tui.widgets.calls.rows.task_rows import task_lines
from tests.unit.tui.widgets.test_failed_calls import BUILD, call
from tests.unit.tui.widgets.test_growing_markdown import PALETTE

LINES = [f"line {n}" for n in range(1, 51)]


def opened(item: CallItem, words: str, width: int = 80) -> list[str]:
    rows = call_lines(item, width, 9.0, True, PALETTE, words=words)
    assert all(row.cell_len <= width for row in rows)
    return [row.plain.strip() for row in rows]


def test_output_is_shown_around_the_match() -> None:
    shown = opened(call("seq", "\n".join(LINES), ok=True, exit_code=0), "line 33")
    assert shown[3].startswith("… 29 lines above")
    assert shown[4:19] == LINES[29:44]
    assert shown[19].startswith("… 6 more lines")


def test_a_match_near_the_end_leaves_no_room_empty() -> None:
    shown = opened(call("seq", "\n".join(LINES), ok=True, exit_code=0), "line 49")
    assert shown[3].startswith("… 35 lines above")
    assert shown[4:-1] == LINES[35:]


@pytest.mark.parametrize("words", ["line 3", "nowhere", ""])
def test_the_beginning_is_shown_if_it_has_the_match_or_there_is_none(words: str) -> None:
    shown = opened(call("seq", "\n".join(LINES), ok=True, exit_code=0), words)
    assert shown[3:18] == LINES[:15]
    assert shown[18].startswith("… 35 more lines")


def test_the_middle_of_a_failed_output_is_shown_if_only_it_has_the_match() -> None:
    shown = opened(call("make", BUILD), "unit 40")
    assert shown[3].startswith("… 36 lines above")
    assert "compiling unit 40" in shown
    assert BUILD.split("\n")[-1] in opened(call("make", BUILD), "main.c:7")[4:]
    assert opened(call("make", BUILD), "unit 2")[3:6] == BUILD.split("\n")[:3]


def test_capitals_count_once_one_is_typed() -> None:
    output = "\n".join([*LINES, "the Needle", *LINES])
    item = call("cat", output, ok=True, exit_code=0)
    assert "the Needle" in opened(item, "needle")
    assert "the Needle" in opened(item, "Needle")
    assert "the Needle" not in opened(item, "NEEDLE")


@pytest.mark.parametrize("width", [40, 80])
def test_a_match_far_in_a_long_line_is_shown(width: int) -> None:
    long = "x " * 4000 + "the needle" + " y" * 4000
    item = call("cat", "\n".join([*LINES, long, *LINES]), ok=True, exit_code=0)
    assert any("the needle" in row for row in opened(item, "the needle", width))


def test_arguments_are_shown_around_the_match() -> None:
    command = "\n".join(f"echo {n}" for n in range(1, 41))
    shown = opened(call(command, "fine", ok=True, exit_code=0), "echo 30")
    assert shown[2].startswith("… 25 lines above")
    assert "echo 30" in shown
    assert json.loads(call(command, "").arguments)["command"] == command


def test_a_long_task_is_shown_around_the_match() -> None:
    rows = [row.plain for row in task_lines("\n".join(LINES), 80, True, PALETTE, "line 40")]
    assert rows[0].startswith("task  … 35 lines above")
    assert any("line 40" in row for row in rows)
    closed = [row.plain for row in task_lines("\n".join(LINES), 80, False, PALETTE, "line 40")]
    assert [row.strip() for row in closed] == ["task  line 1", "line 2 …", ""]
