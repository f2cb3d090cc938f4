"""The dialog for the number of a step to go to."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input
from typing_extensions import override

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import LineDialog


class GoToStepDialog(LineDialog[int]):
    """Asks for the number of a step; dismisses with None if cancelled.

    Args:
        step: the current step.
        steps: the number of steps.
    """

    CSS = """
    GoToStepDialog #step-number { width: 40; }
    """

    enter_words = "go"

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("go_to_step.leave", "dismiss(None)", priority=True),
    ]

    def __init__(self, step: int, steps: int) -> None:
        super().__init__()
        self._here = step
        self._steps = steps

    def compose(self) -> ComposeResult:
        """Yield the input line."""
        line = Input(
            str(self._here),
            type="integer",
            max_length=9,
            select_on_focus=True,
            id="step-number",
            classes="line",
        )
        line.border_title = f"step, 1 to {self._steps}"
        line.border_subtitle = f"enter go · {hint('go_to_step.leave')} cancel"
        yield line

    @override
    def answer(self, text: str) -> int | None:
        return int(text) if text.isdecimal() else None
