"""A yes-or-no question."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.keys.hint import hint, hints
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog


class ConfirmDialog(Dialog[bool]):
    """Asks a question; enter and y answer yes, escape and n answer no."""

    CSS = """
    ConfirmDialog .dialog { width: 60; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("confirm.yes", "answer(True)"),
        binding("confirm.no", "answer(False)"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """Yield the question."""
        with Vertical(classes="dialog") as box:
            box.border_subtitle = self.keys_words
            yield Static(sanitize(self._question), markup=False)

    @property
    def keys_words(self) -> str:
        """The keys that answer, as text for the border."""
        return f"{hints('confirm.yes')} yes · {hint('confirm.no')} no"

    def action_answer(self, sure: bool) -> None:
        """Close with the answer."""
        self.dismiss(sure)
