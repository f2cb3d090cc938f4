"""What shall become of a run whose screen is left."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from ..keymap import hint

Leaving = Literal["end", "keep"]


class LeaveRun(ModalScreen[Leaving | None]):
    """Asks; dismisses with the choice, or None to stay."""

    CSS = """
    LeaveRun { align: center middle; }
    LeaveRun Vertical {
        width: 64; max-width: 95%; height: auto; padding: 1 2;
        border: round $accent; background: $surface; border-subtitle-color: $role-dim;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "answer('keep')", "go on without a screen", id="leave_run.keep"),
        Binding("e,y", "answer('end')", "end it", id="leave_run.end"),
        Binding("escape,n,q", "answer('')", "stay", id="leave_run.stay"),
    ]

    def compose(self) -> ComposeResult:
        """The question."""
        with Vertical() as box:
            box.border_title = "the run is still going"
            box.border_subtitle = (
                f"{hint('leave_run.keep')} background · {hint('leave_run.end')} end · "
                f"{hint('leave_run.stay')} stay"
            )
            yield Static(
                "Let it go on in the background, or end it? It can be opened again from the home "
                "screen as long as this program runs; what an ended run has done is kept.",
                markup=False,
            )

    def action_answer(self, choice: str) -> None:
        """Close with the choice."""
        self.dismiss("end" if choice == "end" else "keep" if choice == "keep" else None)
