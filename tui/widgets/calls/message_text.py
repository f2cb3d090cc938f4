"""A message of several lines in the input line, which grows with it."""

from __future__ import annotations

from textual import on
from textual.actions import SkipAction
from textual.events import Key, Paste, Resize
from textual.message import Message
from textual.widgets import TextArea
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize

MAX_ROWS = 6
"""Maximum height; a longer text scrolls."""


class MessageText(TextArea):
    """A text of a few rows; enter sends it."""

    sends_on_enter = True

    DEFAULT_CSS = """
    MessageText {
        border: none; padding: 0; background: transparent; width: 1fr; height: 1;
        &:focus { border: none; background: transparent; }
    }
    """

    class Sent(Message):
        """Enter was pressed."""

    def put(self, text: str, *, at_start: bool = False) -> None:
        """Replace the text; the cursor is at its end, or at its start."""
        self.text = text
        self.move_cursor((0, 0) if at_start else self.document.end)
        self._fit()

    @override
    def action_cursor_up(self, select: bool = False) -> None:
        """Move up; from the first row, the key recalls an earlier message."""
        if not select and self.navigator.is_first_wrapped_line(self.cursor_location):
            raise SkipAction
        super().action_cursor_up(select)

    @override
    def action_cursor_down(self, select: bool = False) -> None:
        """Move down; from the last row, the key recalls a later message."""
        if not select and self.navigator.is_last_wrapped_line(self.cursor_location):
            raise SkipAction
        super().action_cursor_down(select)

    async def on_key(self, event: Key) -> None:
        """Send with enter instead of breaking the line."""
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Sent())

    def on_paste(self, event: Paste) -> None:
        """Insert the text without characters that a terminal would obey."""
        event.stop()
        event.prevent_default()
        self.insert("\n".join(sanitize(event.text).splitlines()))

    @on(TextArea.Changed)
    @on(Resize)
    def _fit(self) -> None:
        self.styles.height = max(1, min(MAX_ROWS, self.wrapped_document.height))
