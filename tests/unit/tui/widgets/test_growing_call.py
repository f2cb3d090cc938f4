"""The arguments of a call that the model is still writing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.tui.widgets.calls.rows.growing_call import (
    MAX_PARSED_CHARS,
    growing_call,
    growing_fields,
)
from tests.unit.tui.widgets.test_growing_markdown import PALETTE

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.text(st.sampled_from("abc_"), min_size=1, max_size=4)


@given(st.dictionaries(NAMES, WORDS | st.integers(), max_size=4), st.booleans(), st.data())
def test_fields_that_are_cut_anywhere_are_the_beginning_of_what_is_meant(
    fields: dict[str, str | int], ascii_only: bool, data: st.DataObject
) -> None:
    arguments = json.dumps(fields, ensure_ascii=ascii_only)
    cut = data.draw(st.integers(0, len(arguments)))
    for name, value in growing_fields(arguments[:cut]).items():
        assert str(fields[name]).startswith(value)
    assert growing_fields(arguments) == {name: str(value) for name, value in fields.items()}


@pytest.mark.parametrize(
    "arguments", ["", "ls -la", "[1, 2", '{"a": {"b": 1}}', "{" * 50, '"' * 50]
)
def test_what_is_no_object_of_texts_is_shown_as_it_is(arguments: str) -> None:
    assert growing_fields(arguments) == {}
    shown = "".join(
        line.plain.strip() for line in growing_call("other", arguments, 80, PALETTE)[1:]
    )
    assert shown == f"{arguments}▌"


@pytest.mark.parametrize("arguments", ["{", '{"', '{"comm', '{"command"', ' { "command": '])
def test_before_the_first_value_only_the_cursor_is_shown(arguments: str) -> None:
    assert drawn("execute_bash", arguments) == ["bash", "▌"]


def drawn(name: str, arguments: str, width: int = 60) -> list[str]:
    return [line.plain.strip() for line in growing_call(name, arguments, width, PALETTE)]


def test_a_command_is_shown_without_its_json() -> None:
    assert drawn("execute_bash", r'{"command": "echo \"a\"\nls -l') == [
        "bash",
        'echo "a"',
        "ls -l▌",
    ]


def test_the_end_of_a_long_line_is_shown() -> None:
    words = " ".join(f"word{number}" for number in range(40))
    rows = drawn("execute_bash", json.dumps({"command": words})[:-2], 40)
    assert rows[-1].endswith("word39▌")
    assert max(map(len, rows)) <= 40


def test_an_edit_names_its_file_and_shows_its_lines() -> None:
    edit = r'{"command": "str_replace", "path": "/testbed/a.py", "old_str": "x\ny", "new_str": "z'
    assert drawn("str_replace_editor", edit) == [
        "edit str_replace a.py",
        "- x",
        "- y",
        "+ z▌",
    ]


def test_arguments_of_any_length_take_no_longer() -> None:
    arguments = json.dumps({"command": "x" * MAX_PARSED_CHARS})
    assert growing_fields(arguments) == {}
    assert drawn("execute_bash", arguments)[-1].endswith('x"}▌')


def test_only_the_newest_call_of_a_reply_has_the_cursor() -> None:
    written = growing_call("execute_bash", '{"command": "ls"}', 60, PALETTE, grows=False)
    assert [line.plain.strip() for line in written] == ["bash", "ls"]
