"""The dialog for a step or another place to go to."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input
from typing_extensions import override

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import LineDialog


class GoToStepDialog(LineDialog[int]):
    """Asks for a place; dismisses with the number of its event, or None if cancelled.

    Args:
        step: the current step.
        steps: the number of steps.
        find: returns the number of the event for a text, or raises `WrongAnswer`.
    """

    CSS = """
    GoToStepDialog #step-number { width: 56; }
    """

    enter_words = "go"

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("go_to_step.leave", "dismiss(None)", priority=True),
    ]

    def __init__(self, step: int, steps: int, find: Callable[[str], int]) -> None:
        super().__init__()
        self._here = step
        self._steps = steps
        self._find = find

    def compose(self) -> ComposeResult:
        """Yield the input line."""
        line = Input(
            str(self._here), max_length=16, select_on_focus=True, id="step-number", classes="line"
        )
        line.placeholder = "such as 12, +2, -2, 50%, 1:23 or $ (end)"
        line.border_title = f"step, 1 to {self._steps} · +2 · -2 · 50% · 1:23 · $"
        line.border_subtitle = f"enter go · {hint('go_to_step.leave')} cancel"
        yield line

    @override
    def answer(self, text: str) -> int:
        return self._find(text)
