"""Toasts that do not pile up: a repeated one replaces the previous one, and the oldest are removed
to make room for the newest.

A key that does nothing says so each time it is pressed; a dozen equal toasts would hide the screen,
including the line with the run's status. And if toasts need more lines than the screen has, Textual
keeps showing them after they have expired.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.app import App
from textual.notifications import Notification, Notify

from sandbox_tui.tui.textual_support.private_api import remove_toast, shown_toasts

SHARE = 2
"""Together, toasts may cover one in this many lines of the screen; a single one is always shown."""

WIDTH = 60
"""Maximum width of a toast in columns; at most half the screen."""

AROUND = 4
"""Lines of a toast in addition to its text: its title, padding, and the gap to the next."""

Result = TypeVar("Result")


class DedupedToasts(App[Result], Generic[Result]):
    """An app that shows each toast only once at a time, and limits their number."""

    def on_notify(self, event: Notify) -> None:
        """Drop repeated toasts and those without room; Textual adds the new one after this."""
        new = event.notification
        room = self.size.height // SHARE - self._lines_of(new)
        for old in reversed(shown_toasts(self)):
            room -= self._lines_of(old)
            if room < 0 or (old.message, old.title) == (new.message, new.title):
                remove_toast(self, old, refresh=False)

    def remove_shown_toast(self, message: str, title: str) -> None:
        """Remove this toast; all others stay."""
        for old in shown_toasts(self):
            if (old.message, old.title) == (message, title):
                remove_toast(self, old)

    def _lines_of(self, notice: Notification) -> int:
        width = max(1, min(WIDTH, self.size.width // 2) - AROUND)
        return AROUND + sum(1 + len(line) // width for line in notice.message.split("\n"))
