"""Base classes of dialogs."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, TypeVar

from textual import on
from textual.binding import BindingType
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, OptionList

from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.closes_when_on_top import ClosesWhenOnTop
from sandbox_tui.tui.widgets.key_bar import KeyBar

Result = TypeVar("Result")
Answer = TypeVar("Answer")


class Dialog(ModalScreen[Result], ClosesWhenOnTop[Result]):
    """A box over the screen below; the box has the class `dialog`, or `line` if it is one line."""

    choice_words = ""
    """What enter does in the dialog's list or buttons, for the key bar; empty to leave it out."""

    CSS_PATH = Path(__file__).with_name("dialogs.tcss")  # subclasses are in other folders

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("app.help", "app.help", show=False),
    ]

    def on_key(self, event: Key) -> None:
        """Move in a list by j and k, as in panes; give the input what was typed before it had the
        focus."""
        if isinstance(self.focused, OptionList) and event.key in ("j", "k"):
            event.stop()
            move = self.focused.action_cursor_down, self.focused.action_cursor_up
            move[event.key == "k"]()
            return
        field = self.focused or next((at for at in self.query(Widget) if at.focusable), None)
        if isinstance(field, Input) and event.is_printable and event.character:
            event.stop()
            field.insert_text_at_cursor(event.character)

    def on_mount(self) -> None:
        """Add a key bar for the dialog: the one below lists keys that do not work now."""
        if self.is_attached and not self.query(KeyBar):  # a dialog may be closed before it is shown
            self.mount(KeyBar())


class WrongAnswer(Exception):
    """A line that is no answer; the message says what to enter."""


class LineDialog(Dialog[Answer | None]):
    """One line at the bottom of the screen; enter dismisses with the answer.

    A line that is no answer gets a red border that says so, and the dialog stays open.
    """

    enter_words: str
    """What enter does, for the key bar."""

    _keys: Content | None = None
    """The words in the bottom border while it names a mistake instead."""

    def answer(self, text: str) -> Answer | None:
        """Return the answer for a line, given without surrounding blanks.

        Raises:
            WrongAnswer: the line is no answer.
        """
        raise NotImplementedError

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            self.dismiss(self.answer(event.value.strip()))
        except WrongAnswer as wrong:
            self._keys = self._keys or Content(str(event.input.border_subtitle or ""))
            event.input.border_subtitle = Content(str(wrong))
            event.input.add_class("-wrong")

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        if self._keys is not None:
            event.input.border_subtitle = self._keys
            event.input.remove_class("-wrong")
