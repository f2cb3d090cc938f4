"""What a call of the editor would do, shown before it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.tools.edit_preview import EditedFile, EditPreview, preview_edit
from sandbox_tui.core.tools.text_edits import Edit, EditError, insert, replace

FILE = b"".join(b"line %d\n" % n for n in range(1, 10))


def previewed(data: bytes | None, refused: str = "", **fields: Any) -> EditPreview | None:
    return preview_edit({"path": "/testbed/a.py", **fields}, EditedFile(data, refused))


def test_a_replacement_is_shown_as_whole_lines_between_their_neighbours() -> None:
    found = previewed(FILE, command="str_replace", old_str="5\nline", new_str="five\nand\nline")
    assert found == EditPreview(
        first=2,
        above=("line 2", "line 3", "line 4"),
        old=("line 5", "line 6"),
        new=("line five", "and", "line 6"),
        below=("line 7", "line 8", "line 9"),
    )


def test_an_insertion_at_the_end_has_nothing_below() -> None:
    found = previewed(b"one\ntwo", command="insert", insert_line="2", new_str="three")
    assert found == EditPreview(first=1, above=("one", "two"), new=("three",))


@pytest.mark.parametrize(
    ("data", "fields", "problem"),
    [
        (FILE, {"command": "str_replace", "old_str": "line 0"}, "old_str is not in the file"),
        (
            b"if a:\n\tb()\n",
            {"command": "str_replace", "old_str": "if a:\n    b()"},
            "old_str is not in the file (from line 1 on, only the white space differs)",
        ),
        (
            b"x\ny\nx\n",
            {"command": "str_replace", "old_str": "x"},
            "old_str is in the file 2 times, in lines 1, 3",
        ),
        (FILE, {"command": "str_replace", "old_str": ""}, "old_str is empty"),
        (FILE, {"command": "str_replace", "old_str": "x", "new_str": "x"}, "the same"),
        (None, {"command": "str_replace", "old_str": "x"}, "there is no such file"),
        (
            FILE,
            {"command": "insert", "insert_line": 10, "new_str": "x"},
            "insert_line is 10, but the file has 9 lines",
        ),
        (None, {"command": "insert", "insert_line": 0, "new_str": "x"}, "there is no such file"),
        (
            FILE,
            {"command": "create", "file_text": "x"},
            "the file exists already, and create does not replace files",
        ),
    ],
)
def test_a_call_that_would_fail_says_why(
    data: bytes | None, fields: dict[str, Any], problem: str
) -> None:
    found = previewed(data, **fields)
    assert found is not None
    assert problem in found.problem
    assert found.problem[-1] != "."


def test_a_file_that_cannot_be_read_is_the_problem() -> None:
    for fields in (
        {"command": "create", "file_text": ""},
        {"command": "str_replace", "old_str": "x"},
    ):
        assert previewed(None, "/testbed/a.py is a directory", **fields) == EditPreview(
            "/testbed/a.py is a directory"
        )


def test_a_new_file_and_a_view_have_no_problem_and_no_lines() -> None:
    assert previewed(None, command="create", file_text="x") == EditPreview()
    assert previewed(FILE, command="view") is None
    assert previewed(FILE, command="insert", insert_line="many", new_str="x") is None


LINES = st.lists(st.sampled_from(["a", "b", "", "long line"]), max_size=8).map("\n".join)


def outcome(edit: Callable[[], Edit]) -> tuple[str, str]:
    """Return the problem of an edit, and the text after it."""
    try:
        return "", edit().data.decode()
    except EditError as error:
        return error.brief, ""


@given(LINES, LINES, LINES, st.integers(-1, 9))
def test_the_preview_is_what_the_edit_does(before: str, old: str, new: str, at: int) -> None:
    data = before.encode()
    for fields, edit in (
        ({"command": "str_replace", "old_str": old}, lambda: replace(data, old, new, "f")),
        ({"command": "insert", "insert_line": at}, lambda: insert(data, at, new)),
    ):
        found = previewed(data, new_str=new, **fields)
        assert found is not None
        problem, after = outcome(edit)
        assert found.problem == problem
        if after:
            made = [*before.split("\n")[: found.first - 1], *found.above, *found.new, *found.below]
            assert after.split("\n")[: len(made)] == made
