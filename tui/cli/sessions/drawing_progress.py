"""Progress of a film that is drawn on the command line."""

from __future__ import annotations

import contextlib
import sys

from sandbox_tui.tui.format.numbers import counted

SECONDS_PER_FRAME = 0.2
"""Time to draw a frame on a slow computer, for the estimate."""

LINES = 10
"""About how many lines tell the progress where there is no terminal."""


def show_progress(drawn: int, total: int) -> None:
    """Show progress on the terminal and clear the line at the end; elsewhere write an estimate, and
    a line for every tenth of the film."""
    stderr = sys.__stderr__  # the app has replaced `sys.stderr`
    if total < 2 or stderr is None:
        return
    with contextlib.suppress(OSError):  # it is closed
        if stderr.isatty():
            words = f"Drawing frame {drawn} of {total}." if drawn < total else ""
            stderr.write(f"\r\x1b[K{words}")
        elif drawn == 1:
            seconds = max(1, round(total * SECONDS_PER_FRAME))
            stderr.write(f"Drawing {total} frames may take {counted(seconds, 'second')}.\n")
        elif drawn * LINES // total > (drawn - 1) * LINES // total:
            stderr.write(f"Drew frame {drawn} of {total}.\n")
        stderr.flush()
