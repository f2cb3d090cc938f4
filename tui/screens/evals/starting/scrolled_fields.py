"""The scrolling area that holds the fields of the form for an evaluation."""

from __future__ import annotations

from textual import on
from textual.containers import VerticalScroll
from textual.events import Resize
from textual.message import Message


class ScrolledFields(VerticalScroll):
    """The fields of the form, which scroll on a low terminal."""

    class MoreChanged(Message):
        """There are fields below the visible ones now, or no longer."""

    more_below = ""
    """Words that say so; empty if there are none."""

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scroll, then look what is left below."""
        super().watch_scroll_y(old_value, new_value)
        self._look()

    @on(Resize)
    def _look_later(self) -> None:
        self.call_after_refresh(self._look)

    def _look(self) -> None:
        words = "↓ more · " if self.scroll_y < self.max_scroll_y else ""
        if words != self.more_below:
            self.more_below = words
            self.post_message(self.MoreChanged())
