"""A message of several lines in the input line, which grows with it."""

from __future__ import annotations

from textual import on
from textual.events import Key, Paste, Resize
from textual.message import Message
from textual.widgets import TextArea

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

    def put(self, text: str) -> None:
        """Replace the text; the cursor is at its end."""
        self.text = text
        self.move_cursor(self.document.end)
        self._fit()

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
