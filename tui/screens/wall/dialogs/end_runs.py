"""The question whether to end a run on the wall, or all runs that it shows."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from typing_extensions import override

from sandbox_tui.tui.keys.hint import hint, hints
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog, EndRunDialog, end_question

_KEPT = "Their results so far are kept. They cannot be resumed, only forked."


class EndRunsDialog(EndRunDialog):
    """Asks whether to end a run; a key makes it all runs shown.

    Args:
        number: that of the chosen run.
        those: what to call the runs shown that can be ended.

    Attributes:
        is_for_all: whether the answer is about all of them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [binding("end_runs.group", "all_runs")]

    def __init__(self, number: int, those: str) -> None:
        super().__init__(f"run {number}")
        self._number = number
        self._those = those
        self.is_for_all = False

    @property
    @override
    def keys_words(self) -> str:
        yes, no = self._words.values()
        group = f"{hint('end_runs.group')} {self._group_words}"
        return f"{hint('confirm.yes')} {yes} · {group} · {hints('confirm.no')} {no}"

    @property
    def _group_words(self) -> str:
        return f"only run {self._number}" if self.is_for_all else self._those

    @override
    def words_for(self, action: str) -> str | None:
        return self._group_words if action == "all_runs" else super().words_for(action)

    def action_all_runs(self) -> None:
        """Ask about all runs shown, or about the chosen one alone."""
        self.is_for_all = not self.is_for_all
        question = _question_about_all(self._those)
        self.ask(question if self.is_for_all else end_question(f"run {self._number}"))
        self.refresh_bindings()


class EndAllRunsDialog(ConfirmDialog):
    """Asks whether to end all runs shown.

    Args:
        those: what to call them.
    """

    def __init__(self, those: str) -> None:
        super().__init__(_question_about_all(those), "end", "go on")


class EndOtherRunsDialog(ExplainsUnavailable, ConfirmDialog):
    """Asks whether to end the runs shown that go on; the chosen one has ended. The key that ends a
    single run does not answer: pressed twice in a row, the same two keys would end all.

    Args:
        chosen: the number of the chosen run.
        those: what to call the runs shown that can be ended.
        is_for_all: whether these are several.
    """

    BINDINGS: ClassVar[list[BindingType]] = [binding("end_runs.group", "all_runs")]

    def __init__(self, chosen: int, those: str, *, is_for_all: bool) -> None:
        ends = _question_about_all(those) if is_for_all else end_question(those)
        super().__init__(f"Run {chosen} has ended. {ends}", f"end {those}", "go on")
        self._chosen = chosen
        self._those = those

    @property
    @override
    def keys_words(self) -> str:
        yes, no = self._words.values()
        return f"{hint('end_runs.group')} {yes} · {hints('confirm.no')} {no}"

    @override
    def words_for(self, action: str) -> str | None:
        return self._words["answer(True)"] if action == "all_runs" else super().words_for(action)

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why the key that ends a single run does nothing."""
        if action != "answer" or parameters != (True,):
            return ""
        return f"run {self._chosen} has ended: {hint('end_runs.group')} ends {self._those}"

    def action_all_runs(self) -> None:
        """End the runs."""
        self.dismiss(True)


def _question_about_all(those: str) -> str:
    return f"End {those}? {_KEPT}"
