"""The field for the suite, and the scrolling area that holds all fields of the form."""

from __future__ import annotations

from textual import on
from textual.containers import VerticalScroll
from textual.events import Focus, Resize
from textual.message import Message

from sandbox_tui.tui.widgets.path_input import PathInput


class SuiteInput(PathInput):
    """An input for a suite: typing right after it gets the focus replaces the suite that is
    offered."""

    _offered = ""

    def begin(self, offered: str) -> None:
        """Take the focus, with the whole text selected, whatever it is.

        Args:
            offered: the text that the form put in.
        """
        self._offered = offered
        self.focus()
        self.action_select_all()

    def focus_again(self) -> None:
        """Take the focus after the form put in another text."""
        self.focus()
        self._select_offered()

    @on(Focus)
    def _select_offered(self) -> None:
        if self.value == self._offered:
            self.action_select_all()


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
