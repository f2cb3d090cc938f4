"""The line in which a person types what to look for in a terminal."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Label


class TerminalSearch(Horizontal):
    """One line: what is looked for, and how often it is there."""

    DEFAULT_CSS = """
    TerminalSearch {
        display: none; height: 1; width: 1fr; background: $panel; layer: search; dock: bottom;
        Label { width: auto; height: 1; padding: 0 1; color: $role-dim; }
        #terminal-search-sign { width: 2; padding: 0; color: $accent; }
        Input {
            border: none; height: 1; padding: 0; width: 1fr; background: transparent;
            &:focus { border: none; background: transparent; }
        }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close the search", show=False, id="terminal_search.leave"),
        Binding(
            "up,shift+enter", "go(-1)", "Previous place", show=False, id="terminal_search.previous"
        ),
        Binding("down", "go(1)", "Next place", show=False, id="terminal_search.next"),
    ]

    class Wanted(Message):
        """Another text is looked for."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Go(Message):
        """The next (1) or previous (-1) place is wanted."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class Settled(Message):
        """The text is as it shall be: the keyboard goes back to the terminal."""

    class Left(Message):
        """The search is over."""

    def compose(self) -> ComposeResult:
        """A sign, the text, the count."""
        yield Label("/", id="terminal-search-sign")
        yield Input(id="terminal-search-text", select_on_focus=True, placeholder="look for")
        yield Label("", id="terminal-search-count", markup=False)

    @property
    def text(self) -> str:
        """What is looked for."""
        return self.query_one(Input).value

    def open(self) -> None:
        """Take the keyboard, at once: the next key already belongs here."""
        self.display = True
        self.screen.set_focus(self.query_one(Input))

    def close(self) -> None:
        """Be gone."""
        self.display = False

    def count(self, at: int, number: int) -> None:
        """Say which place is shown (from 1; 0: none) of how many, and what goes on from there."""
        keys = "↑ ↓" if self.query_one(Input).has_focus else "n N"
        words = f"{at or '–'}/{number} · {keys}" if number else "nothing" if self.text else ""
        self.query_one("#terminal-search-count", Label).update(words)

    def action_leave(self) -> None:
        """End the search."""
        self.post_message(self.Left())

    def action_go(self, direction: int) -> None:
        """Go on without leaving the line."""
        self.post_message(self.Go(direction))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Wanted(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Settled())
