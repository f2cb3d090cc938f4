"""Titles of tasks and sessions, on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox_tui.core.base.sanitize import sanitize_line

if TYPE_CHECKING:  # the command line's help imports no sessions
    from sandbox_tui.sessions import RunSummary


def first_line(text: str) -> str:
    """The first line of a text from outside, safe to print."""
    return sanitize_line(text.strip().split("\n", 1)[0])


def task_title(run: RunSummary) -> str:
    """The name a person gave a session, otherwise the first line of its task."""
    return first_line(run.title or run.task)
