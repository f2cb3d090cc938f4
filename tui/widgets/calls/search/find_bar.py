"""The search line of a run."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.widgets.line_input import LineInput


class FindBar(Horizontal):
    """A search bar, hidden until `open` is called; posts the words as they are typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("find.leave", "leave"),
        binding("find.next", "next(1)"),
        binding("find.previous", "next(-1)"),
    ]

    DEFAULT_CSS = """
    FindBar {
        height: 3; border: round $accent; padding: 0 1;
        border-title-color: $accent; border-subtitle-color: $role-dim;
        Label { width: 2; color: $accent; }
    }
    """

    enter_words = "keep matches"

    class Changed(Message):
        """The words changed; empty if the search has ended."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class Next(Message):
        """Go to the next match (1) or the previous one (-1)."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class Closed(Message):
        """The bar was hidden; the search stays active unless its words are empty."""

    def compose(self) -> ComposeResult:
        """Yield a sign and an input."""
        yield Label("/")
        yield LineInput(placeholder="search", select_on_focus=True)

    def on_mount(self) -> None:
        """Show what the keys do."""
        self.display = False
        self.border_subtitle = (
            f"{hint('find.next')} next · {hint('find.previous')} previous · enter keep for "
            f"{hint('calls.next')} and {hint('calls.previous')} · {hint('find.leave')} close"
        )

    def open(self) -> None:
        """Show the bar and focus it immediately, so that the next key goes here."""
        self.display = True
        self.screen.set_focus(self.query_one(Input))

    def look_for(self, words: str) -> None:
        """Search for words as if they had been typed and kept."""
        self.query_one(Input).value = words

    def say(self, words: str) -> None:
        """Show the result of the search."""
        self.border_title = Content(words)

    def action_next(self, direction: int) -> None:
        """Go to another match."""
        self.post_message(self.Next(direction))

    def action_leave(self) -> None:
        """End the search."""
        self.end()
        self._close()

    def end(self) -> None:
        """Clear the words."""
        self.query_one(Input).value = ""

    def _close(self) -> None:
        self.display = False
        self.post_message(self.Closed())

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._close()
