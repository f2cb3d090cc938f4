"""The line of a task that names its session."""

from __future__ import annotations

import pytest

from sandbox_tui.core.run.task_title import telling_lines, title_line


@pytest.mark.parametrize(
    ("task", "line"),
    [
        ("Count the words.\nAll of them.", "Count the words."),
        ("\n  \n  Count the words.", "Count the words."),
        ("# Role\nExpert planner.\n\n# Goal\nPlan a trip.", "Expert planner."),
        ("# Task\n\n## Fix the parser ##\n\nIt fails.", "Fix the parser"),
        ("# Fix it\n## Now", "Fix it"),
        ("#!/bin/sh says what?", "#!/bin/sh says what?"),
        ("#", "#"),
        ("", ""),
    ],
)
def test_the_first_line_that_says_something(task: str, line: str) -> None:
    assert title_line(task) == line


def test_what_follows_that_line() -> None:
    task = "# Role\n\n## Fix the parser ##\n\nIt fails.\n  On line 3.\n"
    assert telling_lines(task) == ["Fix the parser", "It fails.", "On line 3."]
    assert telling_lines("# Fix it\n## Now") == ["Fix it", "Now"]
    assert telling_lines("") == []
