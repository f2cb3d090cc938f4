"""A yes-or-no question."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.keys.hint import hint, hints
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog

CORNERS = 4
"""Columns of a border without text: corners and blanks."""


class ConfirmDialog(Dialog[bool]):
    """Asks before something is lost. Only one key says yes; enter keeps everything as it is.

    Args:
        question: what would be lost.
        yes: what the answer yes does, in a word or two.
        no: what the answer no does.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("confirm.yes", "answer(True)"),
        binding("confirm.no", "answer(False)"),
    ]

    def __init__(self, question: str, yes: str = "yes", no: str = "no") -> None:
        super().__init__()
        self._question = question
        self._words = {"answer(True)": yes, "answer(False)": no}

    def compose(self) -> ComposeResult:
        """Yield the question, and the keys in case the border is too narrow for them."""
        with Vertical(classes="dialog") as box:
            box.border_subtitle = self.keys_words
            yield Static(sanitize(self._question), id="question", markup=False)
            yield Static(self._key_lines, id="answers", markup=False)

    @property
    def keys_words(self) -> str:
        """The keys that answer, as text for the border."""
        yes, no = self._words.values()
        return f"{hint('confirm.yes')} {yes} · {hints('confirm.no')} {no}"

    @property
    def _key_lines(self) -> str:
        return "\n".join(("", *self.keys_words.split(" · ")))

    def ask(self, question: str) -> None:
        """Replace the question, and with it the words of the keys."""
        self._question = question
        self.query_one("#question", Static).update(sanitize(question))
        self.query_one("#answers", Static).update(self._key_lines)
        self.on_resize()

    def on_resize(self) -> None:
        """Show the keys below the question, one a line, if they do not fit into the border."""
        answers = self.query("#answers")
        if not answers:  # a busy machine may not have composed the dialog yet
            return
        box, words = self.query_one(".dialog"), self.keys_words
        fits = cell_len(words) <= box.size.width - CORNERS
        box.border_subtitle = words if fits else ""
        answers.first().display = not fits

    def words_for(self, action: str) -> str | None:
        """Return what an answer does, for the key bar and the help."""
        return self._words.get(action)

    def action_answer(self, sure: bool) -> None:
        """Close with the answer."""
        self.dismiss(sure)


class EndRunDialog(ConfirmDialog):
    """Asks whether to end a run.

    Args:
        run: which one.
    """

    def __init__(self, run: str = "this run") -> None:
        super().__init__(end_question(run), "end", "go on")


def end_question(run: str) -> str:
    """Return the question whether to end a run."""
    return f"End {run}? Its results so far are kept. It cannot be resumed, only forked."
