"""A line on the terminal that says how far some work is, and is overwritten by the next."""

from __future__ import annotations

import sys


def say_progress(words: str) -> None:
    """Show how far the work is, if standard error is a terminal; empty words remove the line."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{words:40}\r")
        sys.stderr.flush()
