"""The program's entry point, which imports nothing before it is ready for ctrl+c."""

from __future__ import annotations

import os
import sys

COMPLETE = "_SANDBOX_TUI_COMPLETE"
"""Set by shells that complete a command line."""

CANCELLED = 130
"""Exit code after ctrl+c, and after the answer no."""


def run() -> None:
    """Run the command line; ctrl+c while it is imported or completes is no traceback."""
    try:
        from sandbox_tui.tui.cli.main import main

        main()
    except KeyboardInterrupt:
        if COMPLETE not in os.environ:
            sys.stderr.write("\nCancelled.\n")
        sys.exit(CANCELLED)
