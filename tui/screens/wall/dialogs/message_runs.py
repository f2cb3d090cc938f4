"""The input for a message to the model of a run on the wall, or of all runs that it shows."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.widgets import Input

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.widgets.calls.inject_bar import PLACEHOLDER


class MessageRunsDialog(ExplainsUnavailable, PromptDialog):
    """Asks for a message; a key sends it to all runs shown.

    Args:
        number: that of the chosen run; None if it has ended, so that all others are meant.
        count: number of runs shown that can be written to.
        all_words: what to call these.
        text: what was typed before and not sent.

    Attributes:
        is_for_all: whether the message is for all of them.
        typed: the text so far.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("message_runs.group", "all_runs", priority=True),
    ]

    def __init__(self, number: int | None, count: int, all_words: str, text: str = "") -> None:
        super().__init__("", text, PLACEHOLDER["message"], "send")
        self._number = number
        self._count = count
        self._all_words = all_words
        self.is_for_all = number is None
        self.typed = text

    def on_mount(self) -> None:
        """Say to whom the message goes; Textual calls that of the base class too."""
        self._say_to_whom()

    def _say_to_whom(self) -> None:
        line = self.query_one(Input)
        line.border_title = f"message to {self._those}"
        keys = [f"enter {self.enter_words}"]
        if self._can_choose:
            keys.append(f"{hint('message_runs.group')} {self._other}")
        line.border_subtitle = " · ".join((*keys, f"{hint('ask_line.leave')} cancel"))

    @property
    def _can_choose(self) -> bool:
        """Whether the message can be for one run or for several."""
        return self._count > 1 and self._number is not None

    @property
    def _those(self) -> str:
        return self._all_words if self.is_for_all else f"run {self._number}"

    @property
    def _other(self) -> str:
        return f"only run {self._number}" if self.is_for_all else self._all_words

    @on(Input.Changed)
    def _note_typed(self, event: Input.Changed) -> None:
        self.typed = self.answer(event.value)

    def words_for(self, action: str) -> str | None:
        """The key bar's words for an action; None for the binding's own description."""
        return self._other if action == "all_runs" else None

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Several runs are needed."""
        if action != "all_runs" or self._can_choose:
            return ""
        if self._number is None:
            return "the chosen run has ended"
        return "no other run shown can be written to from here"

    def action_all_runs(self) -> None:
        """Send the message to all runs shown, or to the chosen one alone."""
        self.is_for_all = not self.is_for_all
        self._say_to_whom()
        self.refresh_bindings()
