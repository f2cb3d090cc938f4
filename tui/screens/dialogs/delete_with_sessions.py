"""The dialog to delete an evaluation or a training run, with or without its sessions."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from sandbox_tui.tui.keys.hint import hint, hints
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog

Deletion = Literal["alone", "with_sessions"]


class DeleteWithSessionsDialog(Dialog[Deletion | None]):
    """Dismisses with what to delete, or None to keep everything.

    Args:
        title: the kind of thing to delete.
        question: which one, and what is deleted with it.
    """

    CSS = """
    DeleteWithSessionsDialog .dialog { width: 64; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("delete_eval.alone", "answer('alone')"),
        binding("delete_eval.with_sessions", "answer('with_sessions')"),
        binding("delete_eval.keep", "answer(None)"),
    ]

    def __init__(self, title: str, question: str) -> None:
        super().__init__()
        self._heading = title
        self._question = question

    def compose(self) -> ComposeResult:
        """Yield the question."""
        with Vertical(classes="dialog") as box:
            box.border_title = self._heading
            box.border_subtitle = (
                f"{hint('delete_eval.alone')} delete · {hint('delete_eval.with_sessions')} delete "
                f"with sessions · {hints('delete_eval.keep')} keep"
            )
            yield Static(f"{self._question}\n\n{self._choices}", markup=False)

    @property
    def _choices(self) -> str:
        """Each choice, in a line of its own."""
        return (
            f"{hint('delete_eval.alone')}  delete, and keep the sessions\n"
            f"{hint('delete_eval.with_sessions')}  delete, with the sessions\n"
            f"{hint('delete_eval.keep')}  keep everything"
        )

    def action_answer(self, choice: Deletion | None) -> None:
        """Close with the choice."""
        self.dismiss(choice)
