"""The dialog for something that could not be started, with what to do about it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog


class ErrorDialog(Dialog[None]):
    """Shows an error message."""

    CSS = """
    ErrorDialog .dialog { width: 76; border: round $error; border-title-color: $error; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("failure.leave", "close"),
    ]

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self._sentence = sentence

    def compose(self) -> ComposeResult:
        """Yield the message."""
        with Vertical(classes="dialog") as box:
            box.border_title = "✗ this did not work"
            box.border_subtitle = f"{hint('failure.leave')} close"
            yield Static(sanitize(self._sentence), markup=False)

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)
