"""The list of evaluations, newest first."""

from __future__ import annotations

from rich.text import Text
from typing_extensions import override

from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.evals.eval_rows import eval_lines
from sandbox_tui.tui.widgets.sessions.summary_list import SummaryList


class EvalList(SummaryList[EvalSummary]):
    """Shows each evaluation and its progress."""

    TITLE = "evaluations"
    NOTHING = (
        "No evaluations yet.",
        f"{hint('evals.new')} starts one.",
        "`sandbox-tui eval run pocket` does so in a shell.",
        "`sandbox-tui eval suites` lists the other suites.",
    )

    def __init__(self) -> None:
        super().__init__(id="evals")
        self._marked = ""

    @override
    def id_of(self, found: EvalSummary) -> str:
        return found.info.id

    @override
    def lines_of(self, found: EvalSummary, width: int, palette: Palette) -> list[Text]:
        return eval_lines(found, width, palette, marked=self.id_of(found) == self._marked)

    @property
    def newest(self) -> EvalSummary | None:
        """The first of the list."""
        return next(iter(self._found or ()), None)

    @property
    def marked(self) -> EvalSummary | None:
        """The evaluation that is marked to be compared, while it is listed."""
        found = self._found or ()
        return next((one for one in found if self.id_of(one) == self._marked), None)

    def show_new(self, found: EvalSummary) -> None:
        """Show an evaluation that has just been started, with the cursor on it."""
        others = [one for one in self._found or () if self.id_of(one) != self.id_of(found)]
        self.show([found, *others])
        self.cursor = 0

    def mark(self, found: EvalSummary | None) -> None:
        """Mark an evaluation, or none."""
        self._marked = "" if found is None else self.id_of(found)
        self.reset()
