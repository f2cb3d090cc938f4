"""Titles of tasks and sessions, on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox_tui.core.base.sanitize import sanitize_line

if TYPE_CHECKING:  # the command line's help imports no sessions
    from sandbox_tui.sessions import RunSummary


MAX_TITLE_CHARACTERS = 1_000
"""Characters of a line of which only the beginning is shown anywhere: it is drawn again and again,
and a task may be a file without line breaks."""


def first_line(text: str) -> str:
    """The first line of a text from outside, safe to print, as far as it can be seen."""
    return sanitize_line(text.strip().split("\n", 1)[0][:MAX_TITLE_CHARACTERS])


def task_title(run: RunSummary) -> str:
    """The name a person gave a session, otherwise the first line of its task."""
    return first_line(run.title or run.task)
