"""A key that does nothing now says why."""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.app import App
from textual.events import Key

from sandbox_tui.tui.keys.actions_here import why_key_is_off

Result = TypeVar("Result")

SECONDS = 3.0
"""Seconds for which it is said."""


class SaysWhyKeysAreOff(App[Result], Generic[Result]):
    """An app that answers the key of an action that is off with the reason."""

    def on_key(self, event: Key) -> None:
        """A key that no widget has taken arrives here, before its action is looked up."""
        words = why_key_is_off(self.screen, event.key) if self.screen_stack else ""
        if words:
            self.notify(words, timeout=SECONDS, markup=False)
