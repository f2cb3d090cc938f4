"""Cuts lines to a width, quickly even if they are very long."""

from __future__ import annotations

from rich.text import Text

MAX_CHARACTERS_PER_COLUMN = 8
"""Maximum number of characters considered per column: letters and their combining marks."""


def fit_line(line: Text, columns: int) -> None:
    """Cut a line to this many columns, with an ellipsis if it was cut.

    Rich inspects every character before it cuts: a line of 40,000 takes it a second.
    """
    excess = len(line) - max(1, columns) * MAX_CHARACTERS_PER_COLUMN
    if excess > 0:
        line.right_crop(excess)
    line.truncate(columns, overflow="ellipsis")
