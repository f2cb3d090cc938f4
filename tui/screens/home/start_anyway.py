"""The question whether to start runs although the model's server may not serve them."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog


class StartAnywayDialog(ConfirmDialog):
    """Asks whether to start; the key that starts, pressed again, says yes too.

    Args:
        doubt: what speaks against it, as a sentence.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("new_run.start", "start", show=False),
    ]

    def __init__(self, doubt: str) -> None:
        super().__init__(f"{doubt} Start anyway?", "start", "back")

    def action_start(self) -> None:
        """Say yes."""
        self.action_answer(True)
