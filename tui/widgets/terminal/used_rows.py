"""The rows in use on a terminal's screen."""

from __future__ import annotations

from sandbox_tui.core.terminal.base import Terminal


def is_blank(emulator: Terminal) -> bool:
    """Return whether there is no text, neither on the screen nor in the scrollback."""
    if emulator.history_size:
        return False
    return not any(emulator.text(row).strip() for row in range(emulator.lines))


def used_rows(emulator: Terminal, room: int) -> int:
    """Return the number of rows down to the last one with text or the cursor.

    Args:
        emulator: the terminal; its rows below the result are empty.
        room: number of rows that fit; the result is at least that, up to the screen's height.
    """
    for row in range(emulator.lines - 1, max(room, emulator.y + 1) - 1, -1):
        if emulator.text(emulator.history_size + row).strip():
            return row + 1
    return min(emulator.lines, max(room, emulator.y + 1))
