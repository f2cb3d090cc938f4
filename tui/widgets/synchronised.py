"""Frames of a program's own: while it is in the middle of one, the screen is held back."""

from __future__ import annotations

import time
from collections.abc import Container

SYNCHRONISED = 2026
"""The mode a program sets before a frame and resets after it (synchronised output)."""

LONGEST_HOLD = 0.15
"""Seconds a program may hold the screen back."""


class Hold:
    """Whether one terminal's screen is held back."""

    def __init__(self) -> None:
        self._since: float | None = None

    def holds(self, modes: Container[int]) -> bool:
        """Whether it is, with these modes set."""
        if SYNCHRONISED not in modes:
            self._since = None
            return False
        now = time.perf_counter()
        if self._since is None:
            self._since = now
        if now - self._since < LONGEST_HOLD:
            return True
        self._since = None
        return False
