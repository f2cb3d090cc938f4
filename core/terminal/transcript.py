"""What a terminal shows in the end, as text: no escape codes, one state of each progress bar."""

from __future__ import annotations

from ..sandboxes.base import Size
from .history import SCROLLBACK
from .screen import Screen

WIDTH = 2000
"""Columns of the terminal that is read: wide enough that lines are not broken where the command's
own terminal broke them."""


def transcript(data: bytes, size: Size) -> str:
    """The lines that are left when all of `data` has been shown.

    Args:
        data: what a command printed on its terminal.
        size: columns and rows of that terminal.
    """
    columns, rows = size
    screen = Screen(max(columns, WIDTH), rows, SCROLLBACK)
    screen.feed(data)
    lines = (screen.text(index) for index in range(screen.history_size + screen.lines))
    return "\n".join(lines).rstrip("\n")
