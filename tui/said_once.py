"""Notices that do not pile up: what is said again takes the place of what was said before, and the
oldest make room for the newest.

A key that can do nothing says so each time it is pressed; a dozen of the same words would cover the
screen, the line that says how the run stands among it. Where they come to more lines than there
are, Textual moreover leaves them standing when they are gone.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.app import App
from textual.notifications import Notification, Notify

SHARE = 2
"""All of them together take one in so many lines of the screen, but for a single one."""

WIDTH = 60
"""Columns of a notice, where half the screen is not less."""

AROUND = 4
"""Lines of a notice beside its words: its title, its padding, the gap to the next."""

Result = TypeVar("Result")


class SaidOnce(App[Result], Generic[Result]):
    """An app that shows each notice once at a time, and not too many."""

    def on_notify(self, event: Notify) -> None:
        """Drop what says the same, and what is too much; Textual adds the new one after this."""
        new = event.notification
        room = self.size.height // SHARE - self._lines_of(new)
        for old in reversed(list(self._notifications)):
            room -= self._lines_of(old)
            if room < 0 or (old.message, old.title) == (new.message, new.title):
                self._unnotify(old, refresh=False)

    def _lines_of(self, notice: Notification) -> int:
        width = max(1, min(WIDTH, self.size.width // 2) - AROUND)
        return AROUND + sum(1 + len(line) // width for line in notice.message.split("\n"))
