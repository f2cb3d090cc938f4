"""A search input that is hidden until it is opened."""

from __future__ import annotations

from sandbox_tui.tui.widgets.line_input import OneLineInput

SEARCHING = "searching…"
"""What a search says until its matches are known."""


class SearchLine(OneLineInput):
    """An `Input` that stays hidden until `open` is called."""

    DEFAULT_CSS = """
    SearchLine {
        display: none; height: 3; border: round $accent;
        &:focus { border: round $accent; }
    }
    """

    def open(self) -> None:
        """Show the line and focus it immediately, so that the next key goes here."""
        self.display = True
        self.screen.set_focus(self)

    def close(self) -> None:
        """Hide the line but keep its text."""
        self.display = False
