"""The list of all evaluations: those of this program, of other programs, and finished ones."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.keys.key_sequencer import keys_for_dialog
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.reread_settings import reread_settings
from sandbox_tui.tui.screens.evals.open_eval import EvalOpener
from sandbox_tui.tui.screens.summaries_screen import MAX_LISTED, Deletable, SummariesScreen
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.evals.eval_list import EvalList

MAX_NAME_CHARS = 80


class EvalsScreen(SummariesScreen[EvalSummary]):
    """Lists evaluations; starts, opens, resumes and deletes them.

    Args:
        evals: the evaluations of this program; the store has the others.
        settings: the current settings.
    """

    AUTO_FOCUS = "EvalList"

    ABOUT = "the same tasks with and without a computer"

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("evals.new", "new"),
        binding("evals.resume", "resume"),
        binding("evals.delete", "delete"),
        binding("evals.leave", "leave"),
    ]

    def __init__(self, evals: EvalRegistry, settings: LiveSettings) -> None:
        super().__init__(EvalList())
        self._evals = evals
        self._settings = settings
        self._opener = EvalOpener(self, evals, settings)
        self._draft: dict[str, str] = {}

    @override
    def read_summaries(self) -> list[EvalSummary]:
        return ledger.summaries(self._evals.runs.store, MAX_LISTED)

    @override
    def open_summary(self, found: EvalSummary) -> None:
        self._opener.open(found)

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Only an interrupted evaluation can be resumed; a running one cannot be deleted."""
        found = self.current
        if action not in ("resume", "delete"):
            return ""
        if found is None:
            return "no evaluation is chosen"
        if action == "delete":
            return "it is running" if found.running else ""
        return "" if found.status == "interrupted" else "it was not interrupted"

    def action_new(self) -> None:
        """Open the form for a new evaluation, and then the evaluation that it started."""
        from sandbox_tui.tui.screens.evals.new_eval import NewEvalDialog

        def started(found: EvalSummary | None) -> None:
            if found is not None:
                self.call_later(self.open_summary, found)

        reread_settings(app_of(self), self._settings)
        store, settings = self._evals.runs.store, self._settings.now
        app_of(self).push_screen(NewEvalDialog(store, settings, self._draft), started)

    def action_resume(self) -> None:
        """Run the remaining samples of the evaluation under the cursor, and show it."""
        found = self.current
        if found is not None:
            self._opener.resume(found)

    def action_delete(self) -> None:
        """Delete the evaluation under the cursor, with or without its sessions, after asking."""
        found = self.current
        if found is not None:
            asking = keys_for_dialog(self, self._delete(found))
            self.run_worker(asking, exclusive=True, group="act")

    async def _delete(self, found: EvalSummary) -> None:
        from sandbox_tui.sessions.evals.delete import delete_evaluation, delete_with_sessions

        store, eval_id = self._evals.runs.store, found.info.id
        item = Deletable(
            heading="delete an evaluation",
            question=partial(_question, found),
            sessions=partial(ledger.sessions_of, store, eval_id),
            delete=partial(delete_evaluation, store, eval_id),
            delete_with_sessions=partial(delete_with_sessions, store, eval_id),
        )
        if await self.ask_and_delete(item, self._evals.runs):
            self._evals.forget(eval_id)


def _question(found: EvalSummary, sessions: int) -> str:
    info = found.info
    name = sanitize_line(f"{info.suite} · {model_title(info.model)}")[:MAX_NAME_CHARS]
    over = f"{found.over} of {numbers.counted(found.samples, 'sample')}"
    return (
        f"Delete “{name}” ({info.id}), {over} done? Its scores and report are deleted too; the "
        f"{numbers.counted(sessions, 'session')} of its samples are kept unless you delete them as "
        "well. This cannot be undone."
    )
