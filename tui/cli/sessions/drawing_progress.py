"""Progress of a film that is drawn on the command line."""

from __future__ import annotations

import contextlib
import sys


def show_progress(drawn: int, total: int) -> None:
    """Show progress in one line of the terminal, and clear it at the end; elsewhere, nothing."""
    stderr = sys.__stderr__  # the app has replaced `sys.stderr`
    if total < 2 or stderr is None:
        return
    with contextlib.suppress(OSError):  # it is closed
        if stderr.isatty():
            words = f"Drawing frame {drawn} of {total}." if drawn < total else ""
            stderr.write(f"\r\x1b[K{words}")
            stderr.flush()
