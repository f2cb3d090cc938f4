"""Widths of the panes with which the lines of a recorded terminal fit."""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len

from sandbox_tui.core.terminal.base import Terminal

FRAME_COLUMNS = 3
"""Columns of a terminal's pane beside the terminal: two for the border, one for the scrollbar."""

MIN_CALLS, MIN_CALLS_SHARE, MIN_SIDE = 36, 0.3, 28
"""Least columns of the other panes; the calls also keep a share of the screen."""

CALLS_SHARE, SIDE_SHARE = 0.34, 0.27
"""Shares of the screen that the style sheet gives the other panes if all three are shown."""

CALLS_SHARE_OF_TWO = 0.42
"""Share of the calls if they are beside one other pane."""

LINES_ABOVE = 50
"""Lines above the screen that count, too."""


class Widths(NamedTuple):
    """Columns of the panes beside the terminals; None for what the style sheet says."""

    calls: int | None = None
    side: int | None = None


def widths_beside(screen: int, terminal: int, *, three: bool) -> Widths:
    """Return widths with which a recorded terminal fits its pane, if the other panes can yield.

    Args:
        screen: columns of the screen.
        terminal: columns to make room for.
        three: whether all three panes are shown, or the calls and one other.
    """
    rest = screen - terminal - FRAME_COLUMNS
    least = max(MIN_CALLS, round(MIN_CALLS_SHARE * screen))
    if not three:
        fits = rest >= int(CALLS_SHARE_OF_TWO * screen)
        return Widths() if fits or rest < least else Widths(calls=rest)
    usual = int(CALLS_SHARE * screen) + int(SIDE_SHARE * screen)
    if rest >= usual or rest < least + MIN_SIDE:
        return Widths()
    share = SIDE_SHARE / (CALLS_SHARE + SIDE_SHARE)
    side = max(MIN_SIDE, min(round(rest * share), rest - least))
    return Widths(rest - side, side)


def used_columns(emulator: Terminal) -> int:
    """Return the columns of the longest line, on the screen and shortly above it."""
    end = emulator.history_size + emulator.lines
    lines = range(max(0, end - emulator.lines - LINES_ABOVE), end)
    return max(cell_len(emulator.text(line).rstrip()) for line in lines)
