"""A line of a call that is wider than its pane."""

from __future__ import annotations

import json

import pytest
from rich.text import Text

from sandbox_tui.core.base.tool_names import BASH, EDITOR
from sandbox_tui.tui.widgets.calls.rows.coloured_call import coloured_call
from sandbox_tui.tui.widgets.preview.code import rows_of
from tests.unit.tui.widgets.test_preview_kinds import PALETTE

COMMAND = "ls -la && echo hello from the sandbox && for i in 1 2 3; do sleep 0.3; done"


@pytest.mark.parametrize("width", [1, 2, 10, 46, 60])
@pytest.mark.parametrize("text", [COMMAND, "x" * 200, "漢字かな" * 40, "a " * 90, "é" * 50])
def test_nothing_is_left_out_and_every_row_fits(text: str, width: int) -> None:
    rows = rows_of(Text(text), width)
    assert "".join(row.plain for row in rows) == text
    assert all(row.cell_len <= max(2, width) for row in rows)


def test_words_stay_whole() -> None:
    rows = [row.plain for row in rows_of(Text(COMMAND), 46)]
    assert rows[0].endswith("for ")
    assert all(word in COMMAND.split() for row in rows for word in row.split())


def test_a_word_longer_than_half_a_row_is_cut() -> None:
    assert [row.plain for row in rows_of(Text("a " + "b" * 20), 10)] == [
        "a bbbbbbbb",
        "bbbbbbbbbb",
        "bb",
    ]


def test_a_path_that_is_too_long_is_cut_after_a_slash() -> None:
    path = "/home/me/output/20261127-095854-aw8tb"
    assert [row.plain for row in rows_of(Text(path), 24)] == [
        "/home/me/output/",
        "20261127-095854-aw8tb",
    ]


def test_a_created_file_has_as_many_lines_as_it_says() -> None:
    fields = {"command": "create", "path": "/testbed/a.py", "file_text": "one\n\ntwo\n"}
    rows = coloured_call(EDITOR, json.dumps(fields), 60, PALETTE)
    assert [row.plain.rstrip() for row in rows[1:]] == ["+ one", "+", "+ two"]


def test_a_newline_that_ends_both_texts_of_an_edit_is_not_a_line() -> None:
    fields = {"command": "str_replace", "path": "/testbed/a.py", "old_str": "a\n"}
    both = coloured_call(EDITOR, json.dumps({**fields, "new_str": "b\n"}), 60, PALETTE)
    assert [row.plain.rstrip() for row in both[1:]] == ["- a", "+ b"]
    one = coloured_call(EDITOR, json.dumps({**fields, "new_str": "b\n\n"}), 60, PALETTE)
    assert [row.plain.rstrip() for row in one[1:]] == ["- a", "+ b", "+"]


def test_a_row_that_continues_an_added_line_has_its_colour_and_no_sign() -> None:
    text = '"""Draw the four series as a PNG, with nothing but its standard library."""'
    fields = {"command": "create", "path": "/testbed/a.py", "file_text": text}
    rows = coloured_call(EDITOR, json.dumps(fields), 44, PALETTE)[1:]
    assert [row.plain[:2] for row in rows] == ["+ ", "↳ "]
    assert {str(row.style) for row in rows} == {str(PALETTE.good)}


def test_a_command_is_shown_to_its_end() -> None:
    rows = coloured_call(BASH, json.dumps({"command": COMMAND}), 30, PALETTE)
    assert "".join(row.plain for row in rows) == COMMAND
