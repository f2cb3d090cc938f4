"""The list of all evaluations: those of this program, of other programs, and finished ones."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, ClassVar

from textual.binding import BindingType
from typing_extensions import override

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.config.settings import data_dir
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.relations.last_model import LastModel, last_model, later_of
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.sessions.store.tables.evals.newest_summaries import NewestSummaries
from sandbox_tui.tui.format.evals.resuming import resume_words, why_not_resumed
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.key_sequencer import keys_for_dialog
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.reread_settings import reread_settings
from sandbox_tui.tui.screens.evals.delete_eval import delete_eval
from sandbox_tui.tui.screens.evals.open_eval import EvalOpener
from sandbox_tui.tui.screens.evals.show_report import show_comparison, show_report
from sandbox_tui.tui.screens.new_run.kept_draft import KeptDraft
from sandbox_tui.tui.screens.summaries_screen import MAX_LISTED, SummariesScreen
from sandbox_tui.tui.textual_support.toasts import MAX_NOTICE_SECONDS, DedupedToasts
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.evals.eval_list import EvalList

_MARKED = "Marked:"

DRAFT_FILE = "new-evaluation-draft.json"

OF_SUITE = ("suite", "scorer", "domains", "mode")
"""The fields that are filled in for one suite."""

FILE_GONE = "It cannot be run again: the file with its tasks is no longer there."


class EvalsScreen(SummariesScreen[EvalSummary]):
    """Lists evaluations; starts, opens, resumes and deletes them.

    Args:
        evals: the evaluations of this program; the store has the others.
        settings: the current settings.
        marked: the evaluation that is marked to be compared, with the cursor on it; None: none is.
    """

    AUTO_FOCUS = "EvalList"

    ABOUT = "the same tasks with and without a computer"

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("evals.new", "new"),
        binding("evals.resume", "resume"),
        binding("evals.run_again", "run_again"),
        binding("evals.compare", "compare"),
        binding("evals.report", "report"),
        binding("evals.delete", "delete"),
        binding("evals.leave", "leave"),
    ]

    def __init__(
        self, evals: EvalRegistry, settings: LiveSettings, marked: EvalSummary | None = None
    ) -> None:
        self._evals_list = EvalList()
        super().__init__(self._evals_list)
        self._marked_at_first = marked
        self._evals = evals
        self._newest = NewestSummaries(evals.runs.store, MAX_LISTED)
        self._settings = settings
        self._opener = EvalOpener(self, evals, settings, self.run_again)
        self._draft: dict[str, str] = {}
        self._drafts_again: dict[str, dict[str, str]] = {}

    def on_mount(self) -> None:
        """Mark the evaluation to be compared, before the updates start."""
        if self._marked_at_first is not None:
            self._evals_list.show([self._marked_at_first])
            self._mark(self._marked_at_first)

    @override
    def read_summaries(self) -> list[EvalSummary]:
        return self._newest.read()

    @override
    def open_summary(self, found: EvalSummary) -> None:
        self._opener.open(found)

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Only an interrupted evaluation, or one with samples to rerun, can be resumed; a running
        one cannot be deleted."""
        found = self.current
        if action not in ("resume", "delete", "compare", "run_again", "report"):
            return ""
        if found is None:
            return "no evaluation is chosen"
        if action in ("run_again", "report"):
            return ""
        if action == "compare":
            return "" if self._list.block_count() > 1 else "there is only one evaluation"
        if action == "delete":
            return "this evaluation is still running" if found.running else ""
        return why_not_resumed(found)

    def words_for(self, action: str) -> str | None:
        """Return the key bar's current words for an action."""
        found = self.current
        return resume_words(found) if action == "resume" and found is not None else None

    def action_compare(self) -> None:
        """Compare the marked evaluation with the one under the cursor; mark that one if none is
        marked, and unmark it if it is."""
        found, marked = self.current, self._evals_list.marked
        if found is None:
            return
        if marked is None:
            self._evals_list.mark(found)
            key = hint("evals.compare")
            words = f"{_MARKED} {key} on another evaluation compares the two."
            self.notify(words, markup=False, timeout=MAX_NOTICE_SECONDS)
            return
        self._unmark()
        if marked.info.id != found.info.id:
            showing = show_comparison(self, self._evals.runs.store, marked.info, found.info)
            self.run_worker(keys_for_dialog(self, showing), exclusive=True, group="act")

    def _unmark(self) -> None:
        """Unmark the marked evaluation; what was said about it is no longer true."""
        self._evals_list.mark(None)
        app = app_of(self)
        if isinstance(app, DedupedToasts):
            app.remove_notices_with(_MARKED)

    def _mark(self, found: EvalSummary) -> None:
        self._evals_list.mark(found)
        words = f"Marked: {hint('evals.compare')} on another evaluation compares the two."
        self.notify(words, markup=False, timeout=MAX_NOTICE_SECONDS)

    def action_new(self) -> None:
        """Open the form for a new evaluation, and then the evaluation that it started."""
        self._show_form(self._open_form())

    def start_with(self, suite: str) -> None:
        """Open the form for a new evaluation with a suite; what was typed for another one is not
        for this, and the rest of the draft is kept.

        Args:
            suite: its name.
        """
        earlier = KeptDraft(data_dir() / DRAFT_FILE).read()
        draft = self._draft or ({} if earlier is None else earlier.texts)
        self._draft = {name: text for name, text in draft.items() if name not in OF_SUITE}
        self._draft["suite"] = suite
        self.action_new()

    def action_run_again(self) -> None:
        """Open the form with the suite, model and numbers of the evaluation under the cursor."""
        found = self.current
        if found is not None:
            self.run_again(found.info)

    def run_again(self, info: EvalInfo) -> None:
        """Open the form with the suite, model and numbers of an evaluation."""
        self._show_form(self._open_form_like(info))

    def _show_form(self, opening: Coroutine[Any, Any, None]) -> None:
        self.run_worker(keys_for_dialog(self, opening), exclusive=True, group="act")

    async def _open_form_like(self, info: EvalInfo) -> None:
        from sandbox_tui.tui.screens.evals.start_eval import fields_of

        reread_settings(app_of(self), self._settings)
        if draft := await asyncio.to_thread(fields_of, info):
            self._push_form(self._drafts_again.setdefault(info.id, draft))
        else:
            self.notify(FILE_GONE, severity="warning", markup=False)

    async def _open_form(self) -> None:
        from sandbox_tui.tui.screens.evals.start_eval import last_used_of

        reread_settings(app_of(self), self._settings)
        store = self._evals.runs.store
        try:
            last = later_of(await asyncio.to_thread(last_model, store), self._model_of_newest())
        except StoreError:
            last = None  # the form is of use without it
        newest = self._evals_list.newest
        used: Sequence[Mapping[str, str]] = ()
        if newest is not None:
            used = await asyncio.to_thread(last_used_of, newest.info, self._settings.now)
        kept = KeptDraft(data_dir() / DRAFT_FILE)
        self._push_form(self._draft, last, used, kept)

    def _push_form(
        self,
        draft: dict[str, str],
        last: LastModel | None = None,
        used: Sequence[Mapping[str, str]] = (),
        kept: KeptDraft | None = None,
    ) -> None:
        from sandbox_tui.tui.screens.evals.new_eval import NewEvalDialog

        def started(found: EvalSummary | None) -> None:
            if found is not None:
                self._drafts_again.clear()
                self._evals_list.show_new(found)
                self.call_later(self.open_summary, found)

        store = self._evals.runs.store
        form = NewEvalDialog(store, self._settings.now, draft, last, used, kept)
        app_of(self).push_screen(form, started)

    def _model_of_newest(self) -> LastModel | None:
        """Return the model of the newest evaluation; one that ended without a score does not count:
        its model or server may never have worked."""
        newest = self._evals_list.newest_that_works
        if newest is None:
            return None
        info = newest.info
        return LastModel(info.model, str(info.params.get("base_url") or ""), info.began_at)

    def action_report(self) -> None:
        """Write the HTML report of the evaluation under the cursor, and open it where there is a
        desktop."""
        found = self.current
        if found is not None:
            reporting = show_report(self, self._evals.runs.store, found.info.id)
            self.run_worker(reporting, exclusive=True, group="report")

    def action_resume(self) -> None:
        """Run the remaining samples of the evaluation under the cursor, and show it."""
        found = self.current
        if found is not None:
            self._opener.resume(found.info)

    def action_delete(self) -> None:
        """Delete the evaluation under the cursor, with or without its sessions, after asking."""
        found = self.current
        if found is not None:
            asking = keys_for_dialog(self, self._delete(found))
            self.run_worker(asking, exclusive=True, group="act")

    async def _delete(self, found: EvalSummary) -> None:
        await delete_eval(self, found, self._evals)
        self.reload()
