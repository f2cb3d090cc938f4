"""Titles of tasks and sessions on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox_tui.core.base.cut_text import cut_text
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.run.task_title import telling_lines

if TYPE_CHECKING:  # so that the command line's help does not import sessions
    from sandbox_tui.sessions import RunSummary

LINE_BREAK = " ⏎ "
"""Stands for the end of a line of a task."""

MAX_TITLE_CHARACTERS = 1_000
"""Maximum number of characters of a line whose beginning is shown: it is drawn repeatedly, and a
task may be a file without line breaks."""


def first_line(text: str) -> str:
    """Return the first line of an untrusted text, safe to print, cut to `MAX_TITLE_CHARACTERS`."""
    return sanitize_line(text.strip().split("\n", 1)[0][:MAX_TITLE_CHARACTERS])


def cut_title(title: str, characters: int) -> str:
    """Return a title of at most this length, with an ellipsis if its end is missing."""
    return cut_text(title, characters)


def model_title(name: str) -> str:
    """Return the name of a model; of one that its server names by a path, only the file's name."""
    shown = first_line(name)
    return shown.rstrip("/").rpartition("/")[2] or shown if shown.startswith("/") else shown


def task_line(task: str) -> str:
    """Return a task on one line, safe to print, from the line that says what it is about: tasks may
    differ only in what follows."""
    return first_line(LINE_BREAK.join(telling_lines(task)))


def task_title(run: RunSummary) -> str:
    """Return the title that the user gave a session, else the line of its task that says most."""
    return first_line(run.title or "") or task_line(run.task)


def sample_or_fork(number: int | str | None, *, is_fork: bool) -> str:
    """Return which sample of its task a run is, or is a fork of: all of them have one task. Empty
    for a run that is neither."""
    sample = f"sample {number}" if number else ""
    return " of ".join(part for part in ("fork" if is_fork else "", sample) if part)


def sample_or_fork_of(run: RunSummary) -> str:
    """Return `sample_or_fork` of a session."""
    return sample_or_fork(run.sample, is_fork=run.parent is not None)


def numbered_title(run: RunSummary) -> str:
    """Return the title of a session, after the words that it is a sample or a fork."""
    return " · ".join(part for part in (sample_or_fork_of(run), task_title(run)) if part)
