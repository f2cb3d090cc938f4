"""What all dialogs share."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from textual import on
from textual.screen import ModalScreen
from textual.widgets import Input

Result = TypeVar("Result")
Answer = TypeVar("Answer")


class Dialog(ModalScreen[Result]):
    """A box over the screen below; the box has the class `dialog`, or `line` for one line."""

    CSS_PATH = Path(__file__).with_name("dialogs.tcss")  # subclasses are in other folders


class LineDialog(Dialog[Answer | None]):
    """One line at the foot of the screen; enter dismisses with the answer."""

    def answer(self, text: str) -> Answer | None:
        """What a line without blanks around it means."""
        raise NotImplementedError

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(self.answer(event.value.strip()))
