"""Notices that do not pile up: what is said again takes the place of what was said before.

A key that can do nothing says so each time it is pressed; a dozen of the same words would cover the
screen, the line that says how the run stands among it.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.app import App
from textual.notifications import Notify

Result = TypeVar("Result")


class SaidOnce(App[Result], Generic[Result]):
    """An app that shows each notice once at a time."""

    def on_notify(self, event: Notify) -> None:
        """Drop what says the same; Textual adds the new one after this."""
        new = event.notification
        for old in list(self._notifications):
            if (old.message, old.title) == (new.message, new.title):
                self._unnotify(old, refresh=False)
