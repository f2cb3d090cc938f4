"""Lines cut to a width, however long they are."""

from __future__ import annotations

from rich.text import Text

MAX_CHARACTERS_PER_COLUMN = 8
"""Characters that share a column: letters and the marks that are drawn on them."""


def fit_line(line: Text, columns: int) -> None:
    """Cut a line to so many columns; an ellipsis says that something is missing.

    Rich looks at every character before it cuts: a second for a line of 40,000.
    """
    excess = len(line) - max(1, columns) * MAX_CHARACTERS_PER_COLUMN
    if excess > 0:
        line.right_crop(excess)
    line.truncate(columns, overflow="ellipsis")
