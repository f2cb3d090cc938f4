"""Keeps a key that was pressed before a waiting call was on the screen from deciding about it."""

from __future__ import annotations

import math
import time

from textual.screen import Screen

from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.tui.keys.key_sequencer import pressed_at
from sandbox_tui.tui.keys.unavailable_keys import forget_reason, say_refusal


class DrawnCall:
    """Which waiting call has been drawn, and since when."""

    def __init__(self) -> None:
        self._call: CallItem | None = None
        self._since = math.inf

    def note(self, call: CallItem | None) -> None:
        """Note that this call has now been drawn as the one that waits; None without any."""
        if call is not self._call:
            self._call, self._since = call, time.monotonic()

    def shows(self, call: CallItem | None) -> bool:
        """Return whether this call has been drawn."""
        return call is not None and call is self._call

    def answers(self, screen: Screen[None], waiting: CallItem | None) -> bool:
        """Return whether the key that is being handled can be about the call that waits; if not,
        say so. Without a waiting call there is nothing to keep from being decided."""
        if waiting is None:
            return True
        if self.shows(waiting) and pressed_at(screen) >= self._since:
            forget_reason(screen)  # an earlier key was refused, this one is not
            return True
        say_refusal(screen, not_shown_yet(f"Call {waiting.call.number}"))
        return False


def not_shown_yet(call: str) -> str:
    """Say that a key was pressed too early to be an answer about this call."""
    return f"{call} was not shown yet when you pressed the key: nothing was decided."
