"""Synchronized output: a program's frame is drawn only when it is complete.

Source: https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036
"""

from __future__ import annotations

import time
from collections.abc import Container

SYNCHRONIZED_OUTPUT = 2026
"""The mode a program sets before a frame and resets after it."""

MAX_HOLD_SECONDS = 0.15
"""How long a program may delay drawing."""


class SyncOutput:
    """Tracks whether drawing of one terminal is delayed."""

    def __init__(self) -> None:
        self._since: float | None = None

    def is_delayed(self, modes: Container[int]) -> bool:
        """Return whether drawing is delayed, given the modes that are set."""
        if SYNCHRONIZED_OUTPUT not in modes:
            self._since = None
            return False
        now = time.perf_counter()
        if self._since is None:
            self._since = now
        if now - self._since < MAX_HOLD_SECONDS:
            return True
        self._since = None
        return False
