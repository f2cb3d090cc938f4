"""A dialog for one line of text."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.format.one_line import with_its_lines
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import LineDialog
from sandbox_tui.tui.widgets.line_input import OneLineInput


class PromptDialog(LineDialog[str]):
    """Asks for a line; dismisses with None if cancelled.

    A multi-line text is shown on one line, with a sign for each line break, and keeps its breaks.

    Args:
        title: what to enter.
        text: the initial text.
        placeholder: the meaning of an empty line.
        enter_words: what enter does.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("ask_line.leave", "dismiss(None)", priority=True),
    ]

    def __init__(
        self, title: str, text: str = "", placeholder: str = "", enter_words: str = "save"
    ) -> None:
        super().__init__()
        self.enter_words = enter_words
        self._question = title
        self._text = text
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        """Yield the input line."""
        text = sanitize(self._text, newlines=False)
        line = OneLineInput(
            text, placeholder=self._placeholder, select_on_focus=False, classes="line"
        )
        line.border_title = self._question
        line.border_subtitle = f"enter {self.enter_words} · {hint('ask_line.leave')} cancel"
        yield line

    @override
    def answer(self, text: str) -> str:
        return with_its_lines(text, self._text)
