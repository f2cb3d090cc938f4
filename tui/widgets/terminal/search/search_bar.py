"""The search bar of a terminal."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Label

from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.widgets.line_input import LineInput
from sandbox_tui.tui.widgets.terminal.view import TerminalView


class TerminalSearchBar(Horizontal):
    """One line with the text to search for and the number of matches."""

    DEFAULT_CSS = """
    TerminalSearchBar {
        display: none; height: 1; width: 1fr; background: $panel; layer: search; dock: bottom;
        Label { width: auto; height: 1; padding: 0 1; color: $role-dim; }
        #terminal-search-sign { width: 2; padding: 0; color: $accent; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("terminal_search.leave", "leave"),
        binding("terminal_search.previous", "go(-1)"),
        binding("terminal_search.next", "go(1)"),
    ]

    enter_words = "keep matches"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._view: TerminalView | None = None

    def compose(self) -> ComposeResult:
        """Yield a sign, the input, the number of matches."""
        yield Label("/", id="terminal-search-sign")
        yield LineInput(id="terminal-search-text", select_on_focus=True, placeholder="search")
        yield Label("", id="terminal-search-count", markup=False)

    def open(self, view: TerminalView) -> None:
        """Search a view; focus the bar immediately, so that the next key goes here."""
        self._view = view
        self.display = True
        self.screen.set_focus(self.query_one(Input))
        view.cover(1)
        self.call_after_refresh(self.show_position)

    def close(self) -> None:
        """Hide the bar and end the search."""
        self.display = False
        view, self._view = self._view, None
        if view is not None:
            view.cover(0)
            view.search.end()

    def show_position(self) -> None:
        """Show the position of the current match, the number of matches and the keys."""
        if self._view is None:
            return
        at, number = self._view.search.position
        line = self.query_one(Input)
        keys = "↑ ↓" if line.has_focus else "n N"
        none = "nothing" if self._view.is_fitted else "nothing up to here"
        words = f"{at or '–'}/{number} · {keys}" if number else none if line.value else ""
        self.query_one("#terminal-search-count", Label).update(words)

    def action_leave(self) -> None:
        """End the search and focus the terminal."""
        view = self._view
        self.close()
        if view is not None:
            view.focus()

    def action_go(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1) while the bar keeps the focus."""
        if self._view is not None:
            self._view.search.go(direction)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._view is not None:
            self._view.search.start(event.value)
            self.show_position()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._view is not None and self._view.search.active:
            self._view.focus()
            self.call_after_refresh(self.show_position)
        else:
            self.action_leave()
