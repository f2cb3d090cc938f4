"""The line of a task that names its session, which may have no title of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEADING = re.compile(r"#{1,6}\s+(?P<words>.*?)[\s#]*$")

MIN_TELLING_WORDS = 3
"""Headings with fewer words, such as "Role" or "Task description", fit any task."""

MAX_LINES = 50
"""Maximum number of lines that are considered."""


def title_line(task: str) -> str:
    """Return the first line of a task that says what it is about, not sanitized: headings of a few
    words are passed over, unless the task has nothing else."""
    return next(iter(telling_lines(task)), "")


def telling_lines(task: str) -> list[str]:
    """Return that line and those after it, without empty ones and the signs of headings."""
    lines: list[str] = []
    begin: int | None = None
    for line in _lines(task):
        heading = _HEADING.match(line)
        words = heading["words"] if heading else line
        is_telling = heading is None or len(words.split()) >= MIN_TELLING_WORDS
        if words and is_telling and begin is None:
            begin = len(lines)
        if words:
            lines.append(words)
    return lines[begin or 0 :]


def _lines(task: str) -> Iterator[str]:
    """Yield lines that are not empty, without reading all of a long task."""
    at = 0
    for _ in range(MAX_LINES):
        end = task.find("\n", at)
        line = (task[at:] if end < 0 else task[at:end]).strip()
        if line:
            yield line
        if end < 0:
            return
        at = end + 1
