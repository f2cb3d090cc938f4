"""The question which runs of the wall to resume: the chosen one, or all that can be."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog

Which = Literal["one", "all"]


class ResumeRunsDialog(Dialog[Which | None]):
    """Dismisses with which runs to resume; None for none.

    Args:
        number: that of the chosen run.
        count: number of runs shown that can be resumed, with the chosen one.
    """

    CSS = """
    ResumeRunsDialog .dialog { width: 56; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("resume_runs.one", "answer('one')"),
        binding("resume_runs.all", "answer('all')"),
        binding("resume_runs.leave", "answer(None)"),
    ]

    def __init__(self, number: int, count: int) -> None:
        super().__init__()
        self._words = {"answer('one')": f"only run {number}", "answer('all')": f"all {count}"}
        self._question = f"{count} of the runs shown can be resumed. Which?"

    def compose(self) -> ComposeResult:
        """Yield the question, with each answer in a line of its own."""
        one, every = self._words.values()
        with Vertical(classes="dialog") as box:
            box.border_title = "resume"
            yield Static(
                f"{self._question}\n\n"
                f"{hint('resume_runs.one')}  {one}\n"
                f"{hint('resume_runs.all')}  {every}\n"
                f"{hint('resume_runs.leave')}  cancel",
                markup=False,
            )

    def words_for(self, action: str) -> str | None:
        """Return which runs an answer is about, for the key bar and the help."""
        return self._words.get(action)

    def action_answer(self, which: Which | None) -> None:
        """Close with the answer."""
        self.dismiss(which)
