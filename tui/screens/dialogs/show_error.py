"""The dialog for something that could not be started, with what to do about it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog


class ErrorDialog(Dialog[bool]):
    """Shows an error message; dismisses with whether to do what it offers."""

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
            box.border_subtitle = self.key_words()
            yield Static(sanitize(self._sentence), markup=False)

    def key_words(self) -> str:
        """Return what the keys do."""
        return f"{hint('failure.leave')} close"

    def action_close(self) -> None:
        """Close."""
        self.dismiss(False)


class LostSandboxDialog(ErrorDialog):
    """Says that a run cannot be resumed without its sandbox, and offers to fork it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("failure.fork", "fork"),
    ]

    @override
    def key_words(self) -> str:
        return f"{hint('failure.fork')} fork · {super().key_words()}"

    def action_fork(self) -> None:
        """Close, and fork the run."""
        self.dismiss(True)
