"""The list of evaluations, newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.evals.reporting.evaluation_differences import what_differs
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.evals.eval_rows import eval_lines
from sandbox_tui.tui.widgets.sessions.summary_list import SummaryList


class EvalList(SummaryList[EvalSummary]):
    """Shows each evaluation, its progress, and what tells it from others that look alike."""

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
        self._awaited = ""
        self._differing: Mapping[str, str] = {}

    @override
    def show(self, found: Sequence[EvalSummary]) -> None:
        awaited, self._awaited = self._awaited, ""
        if awaited and all(self.id_of(one) != awaited for one in found):
            return  # read before that one was started
        self._differing = what_differs([one.info for one in found])
        super().show(found)

    @override
    def id_of(self, found: EvalSummary) -> str:
        return found.info.id

    @override
    def lines_of(self, found: EvalSummary, width: int, palette: Palette) -> list[Text]:
        name = self.id_of(found)
        differing = self._differing.get(name, "")
        return eval_lines(found, width, palette, marked=name == self._marked, differing=differing)

    @property
    def newest_that_works(self) -> EvalSummary | None:
        """The first of the list that runs, or has a sample with a score."""
        return next((one for one in self._found or () if one.running or one.over > one.lost), None)

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
        self._awaited = self.id_of(found)

    def mark(self, found: EvalSummary | None) -> None:
        """Mark an evaluation, or none."""
        self._marked = "" if found is None else self.id_of(found)
        self.reset()
