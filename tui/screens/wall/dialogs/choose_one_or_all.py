"""The question which runs of the wall a key is about: one of them, or all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from sandbox_tui.tui.screens.dialogs.dialog import Dialog

Which = Literal["one", "all"]


class OneOrAllDialog(Dialog[Which | None]):
    """Dismisses with which runs a key is about; None for none. A subclass binds its keys.

    Args:
        title: what the key does.
        question: how many runs there are.
        number: that of the one.
        count: number of all.
        keys: those for one, for all, and for none.
    """

    def __init__(
        self, title: str, question: str, number: int, count: int, keys: Sequence[str]
    ) -> None:
        super().__init__()
        self._title = title
        self._question = question
        self._keys = keys
        self._words = {
            "answer('one')": f"only run {number}",
            "answer('all')": f"all {count}",
            "answer(None)": "cancel",
        }

    def compose(self) -> ComposeResult:
        """Yield the question, with each answer in a line of its own."""
        answers = zip(self._keys, self._words.values(), strict=True)
        lines = "\n".join(f"{key}  {words}" for key, words in answers)
        with Vertical(classes="dialog") as box:
            box.border_title = self._title
            yield Static(f"{self._question} Which?\n\n{lines}", markup=False)

    def words_for(self, action: str) -> str | None:
        """Return which runs an answer is about, for the key bar and the help."""
        return self._words.get(action)

    def action_answer(self, which: Which | None) -> None:
        """Close with the answer."""
        self.dismiss(which)
