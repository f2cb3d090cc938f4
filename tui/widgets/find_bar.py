"""The line in which a person types what to look for."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label

from ..keymap import hint


class FindBar(Horizontal):
    """Not seen until `open`; says what is typed as it is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Stop looking", show=False, id="find.leave"),
        Binding("down,ctrl+n", "next(1)", "Next", show=False, id="find.next"),
        Binding("up,ctrl+p", "next(-1)", "Previous", show=False, id="find.previous"),
    ]

    DEFAULT_CSS = """
    FindBar {
        height: 3; border: round $accent; padding: 0 1;
        border-title-color: $accent; border-subtitle-color: $role-dim;
        Label { width: 2; color: $accent; }
        Input { border: none; height: 1; padding: 0; background: transparent; width: 1fr; }
        Input:focus { border: none; }
    }
    """

    class Changed(Message):
        """Other words are looked for; none when the search is over."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class Next(Message):
        """To the next hit, or the one before (-1)."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class Left(Message):
        """The keyboard is given back; `words` are still looked for unless there are none."""

    def compose(self) -> ComposeResult:
        """A sign and an input."""
        yield Label("/")
        yield Input(placeholder="look for", select_on_focus=True)

    def on_mount(self) -> None:
        """Say what the keys do."""
        self.display = False
        self.border_subtitle = (
            f"{hint('find.next')} next · {hint('find.previous')} before · enter keeps the hits, "
            f"{hint('calls.next')} and {hint('calls.previous')} go on · {hint('find.leave')} ends"
        )

    def open(self) -> None:
        """Take the keyboard, at once: the next key already belongs here."""
        self.display = True
        self.screen.set_focus(self.query_one(Input))

    def say(self, words: str) -> None:
        """What was found."""
        self.border_title = Content(words)

    def action_next(self, direction: int) -> None:
        """To another hit."""
        self.post_message(self.Next(direction))

    def action_leave(self) -> None:
        """End the search."""
        self.query_one(Input).value = ""
        self._close()

    def _close(self) -> None:
        self.display = False
        self.post_message(self.Left())

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._close()
