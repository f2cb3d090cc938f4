"""What shall become of a run whose screen is left."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog

Leaving = Literal["end", "keep"]


class LeaveDialog(Dialog[Leaving | None]):
    """Asks; dismisses with the choice, or None to stay.

    Args:
        runs: how many runs are left.
    """

    CSS = """
    LeaveDialog .dialog { width: 64; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("leave_run.keep", "answer('keep')"),
        binding("leave_run.end", "answer('end')"),
        binding("leave_run.stay", "answer(None)"),
    ]

    def __init__(self, runs: int = 1) -> None:
        super().__init__()
        self._runs = runs

    def compose(self) -> ComposeResult:
        """The question."""
        with Vertical(classes="dialog") as box:
            box.border_title = self.title_words
            box.border_subtitle = (
                f"{hint('leave_run.keep')} background · {hint('leave_run.end')} end · "
                f"{hint('leave_run.stay')} stay"
            )
            yield Static(self.question, markup=False)

    @property
    def title_words(self) -> str:
        """What goes on."""
        return f"{'the run is' if self._runs == 1 else f'{self._runs} runs are'} still going"

    @property
    def question(self) -> str:
        """What each choice does."""
        return _ONE if self._runs == 1 else _SEVERAL

    def action_answer(self, choice: Leaving | None) -> None:
        """Close with the choice."""
        self.dismiss(choice)


_ONE = (
    "Keep it running in the background, or end it? It can be opened again from the home screen as "
    "long as this program runs; what an ended run has done is kept."
)
_SEVERAL = (
    "Keep them running in the background, or end them? They can be opened again from the home "
    "screen as long as this program runs; what an ended run has done is kept."
)
