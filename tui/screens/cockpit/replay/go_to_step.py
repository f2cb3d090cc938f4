"""The line in which one types the number of a step to go to."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.widgets import Input

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding


class GoToStepDialog(ModalScreen[int | None]):
    """Asks for the number of a step; None when there is second thought.

    Args:
        step: where one is.
        steps: how many there are.
    """

    CSS = """
    GoToStepDialog { align: center bottom; background: transparent; }
    GoToStepDialog Input {
        width: 40; max-width: 95%; height: 3; margin: 0 0 2 0; border: round $accent;
        background: $surface; border-title-color: $accent; border-subtitle-color: $role-dim;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("go_to_step.leave", "dismiss(None)", priority=True),
    ]

    def __init__(self, step: int, steps: int) -> None:
        super().__init__()
        self._here = step
        self._steps = steps

    def compose(self) -> ComposeResult:
        """The line."""
        line = Input(
            str(self._here), type="integer", max_length=9, select_on_focus=True, id="step-number"
        )
        line.border_title = f"step, 1 to {self._steps}"
        line.border_subtitle = f"enter goes there · {hint('go_to_step.leave')} stays"
        yield line

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        digits = event.value.strip()
        self.dismiss(int(digits) if digits.isdecimal() else None)
