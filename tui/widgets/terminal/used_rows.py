"""How many rows of a terminal's screen there is something to see in."""

from __future__ import annotations

from sandbox_tui.core.terminal.base import Terminal


def used_rows(emulator: Terminal, room: int) -> int:
    """Rows from the top to the last that has text or the cursor, where not all of them fit.

    Args:
        emulator: whose screen; its rows below those are empty.
        room: rows for which there is room; at least as many are counted.
    """
    for row in range(emulator.lines - 1, max(room, emulator.y + 1) - 1, -1):
        if emulator.text(emulator.history_size + row).strip():
            return row + 1
    return min(emulator.lines, max(room, emulator.y + 1))
