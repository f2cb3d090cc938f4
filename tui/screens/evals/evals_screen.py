"""The list of all evaluations: those of this program, of other programs, and finished ones."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from typing_extensions import override

from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.screens.evals.eval_actions import EvalActions
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.source import source_of
from sandbox_tui.tui.screens.summaries_screen import MAX_LISTED, SummariesScreen
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.evals.eval_list import EvalList


class EvalsScreen(SummariesScreen[EvalSummary]):
    """Lists evaluations; opens, resumes and deletes them.

    Args:
        evals: the evaluations of this program; the store has the others.
        settings: the current settings.
    """

    AUTO_FOCUS = "EvalList"

    ABOUT = "the same tasks with and without a computer"

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("evals.resume", "resume"),
        binding("evals.delete", "delete"),
        binding("evals.leave", "leave"),
    ]

    def __init__(self, evals: EvalRegistry, settings: LiveSettings) -> None:
        super().__init__(EvalList())
        self._evals = evals
        self._settings = settings
        self._actions = EvalActions(self, evals, self.reload)

    @override
    def read_summaries(self) -> list[EvalSummary]:
        return ledger.summaries(self._evals.runs.store, MAX_LISTED)

    @override
    def open_summary(self, found: EvalSummary) -> None:
        app_of(self).push_screen(EvalScreen(source_of(found, self._evals), self._evals.runs))

    @override
    def why_off(self, action: str, parameters: tuple[object, ...]) -> str:
        """Only an interrupted evaluation can be resumed; a running one cannot be deleted."""
        found = self.current
        if action not in ("resume", "delete"):
            return ""
        if found is None:
            return "no evaluation is chosen"
        if action == "delete":
            return "it is running" if found.running else ""
        return "" if found.status == "interrupted" else "it was not interrupted"

    def action_resume(self) -> None:
        """Resume the evaluation under the cursor."""
        found = self.current
        if found is not None:
            resuming = self._actions.resume(found, self._settings.now)
            self.run_worker(resuming, exclusive=True, group="act")

    def action_delete(self) -> None:
        """Delete the evaluation under the cursor after asking."""
        found = self.current
        if found is not None:
            self.run_worker(self._actions.delete(found), exclusive=True, group="act")
