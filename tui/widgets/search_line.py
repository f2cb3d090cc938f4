"""A line to search with, hidden until it is needed."""

from __future__ import annotations

from textual.widgets import Input


class SearchLine(Input):
    """An `Input` that is hidden until `open`."""

    DEFAULT_CSS = """
    SearchLine {
        display: none; height: 3; border: round $accent;
        &:focus { border: round $accent; }
    }
    """

    def open(self) -> None:
        """Show the line and focus it at once: the next key already belongs here."""
        self.display = True
        self.screen.set_focus(self)

    def close(self) -> None:
        """Hide the line; what was typed stays."""
        self.display = False
