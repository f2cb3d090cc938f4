"""Whether an evaluation is deleted, and whether its sessions are."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog

Deletion = Literal["alone", "with_sessions"]

MAX_NAME_CHARS = 80


class DeleteEvalDialog(Dialog[Deletion | None]):
    """Asks; dismisses with what is deleted, or None to keep everything.

    Args:
        found: the evaluation.
        sessions: how many sessions its samples have.
    """

    CSS = """
    DeleteEvalDialog .dialog { width: 64; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("delete_eval.alone", "answer('alone')"),
        binding("delete_eval.with_sessions", "answer('with_sessions')"),
        binding("delete_eval.keep", "answer(None)"),
    ]

    def __init__(self, found: EvalSummary, sessions: int) -> None:
        super().__init__()
        self._found = found
        self._sessions = sessions

    def compose(self) -> ComposeResult:
        """The question."""
        with Vertical(classes="dialog") as box:
            box.border_title = "delete an evaluation"
            box.border_subtitle = (
                f"{hint('delete_eval.alone')} alone · {hint('delete_eval.with_sessions')} with "
                f"sessions · {hint('delete_eval.keep')} keep"
            )
            yield Static(self._question, markup=False)

    @property
    def _question(self) -> str:
        info = self._found.info
        name = sanitize_line(f"{info.suite} · {info.model}")[:MAX_NAME_CHARS]
        over = f"{self._found.over} of {numbers.counted(self._found.samples, 'sample')}"
        sessions = numbers.counted(self._sessions, "session")
        return (
            f"Delete “{name}” ({info.id}), {over} over? Its scores and its report go with it; "
            f"the {sessions} of its samples stay, unless you delete them too. "
            "This cannot be undone."
        )

    def action_answer(self, choice: Deletion | None) -> None:
        """Close with the choice."""
        self.dismiss(choice)
