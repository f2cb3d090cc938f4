"""The final text on a terminal: no escape codes, only the last state of each progress bar."""

from __future__ import annotations

from sandbox_tui.core.base.io_types import Size
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.emulator.scrollback import SCROLLBACK

WIDTH = 2000
"""Columns of the emulated terminal: wide enough that lines do not wrap as they did on the command's
own terminal."""


def transcript(data: bytes, size: Size) -> str:
    """Return the lines shown after all of `data` has been printed.

    Args:
        data: the terminal output of a command.
        size: columns and rows of that terminal.
    """
    columns, rows = size
    screen = Screen(max(columns, WIDTH), rows, SCROLLBACK)
    screen.feed(data)
    lines = (screen.text(index) for index in range(screen.history_size + screen.lines))
    return "\n".join(lines).rstrip("\n")
