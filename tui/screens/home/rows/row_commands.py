"""The commands of a screen on the sessions that it lists."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from textual import on
from textual.screen import Screen
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.sessions import RunRegistry, RunSummary
from sandbox_tui.sessions.relations.listing import EvalRow, SamplesRow, SessionRow, TrainingRow
from sandbox_tui.sessions.relations.rows.order import next_order
from sandbox_tui.sessions.remote.resume_here import NO_LONGER_DETACHED, resume_here
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.tui.format.evals.resuming import resume_words
from sandbox_tui.tui.format.titles import task_line, task_title
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.key_sequencer import keys_for_dialog
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.reread_settings import reread_settings
from sandbox_tui.tui.screens.home.rows.keys_of_runs import why_key_of_run_does_nothing
from sandbox_tui.tui.screens.home.rows.run_ender import RunEnder
from sandbox_tui.tui.screens.home.rows.session_actions import SessionActions
from sandbox_tui.tui.screens.home.rows.session_opener import SessionOpener
from sandbox_tui.tui.screens.messages import ForkRequested, RunAgainRequested
from sandbox_tui.tui.textual_support.toasts import (
    MAX_NOTICE_SECONDS,
    DedupedToasts,
    complain_here,
    passing_toasts,
)
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.sessions.session_list import SessionList

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunWorker
    from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
    from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
    from sandbox_tui.tui.screens.evals.open_eval import EvalOpener
    from sandbox_tui.tui.screens.home.search_sessions import SessionFinder

_MARKED = "Marked"
"""How the notice about a marked session begins."""

_SESSION_ACTIONS = (
    *("fork", "delete", "run_again", "export", "tags", "compare", "rename", "note"),
)


class RowCommands(ExplainsUnavailable, Screen[None]):
    """Runs the commands; the subclass composes the `SessionList` and provides the search
    and the evaluations of this program.

    Args:
        settings: the current settings.
        workers: the runs of this program, and the store with all sessions.
    """

    _search: SessionFinder
    _evals: EvalRegistry

    def __init__(self, settings: LiveSettings, workers: RunRegistry) -> None:
        super().__init__()
        self._settings = settings
        self._run_workers = workers
        self._store = workers.store
        self._opener = SessionOpener(self, workers)
        self._ender = RunEnder(self, workers)
        self._sessions = SessionActions(self, self, self._store, self._ender)
        self._marked_to_compare = ""
        self._marks_in_notice: list[RunSummary] = []

    @property
    def row_actions(self) -> Sequence[str]:
        """Actions whose keys keep their places in the key bar where they are off: those that some
        rows of the same kind have."""
        if self.is_finding:
            return () if self.session_here is None else _SESSION_ACTIONS
        match self.query_one(SessionList).current_row:
            case SessionRow():
                return _SESSION_ACTIONS
            case SamplesRow():
                return ("delete", "export", "tags")
            case EvalRow():
                return ("delete", "compare", "export")
            case TrainingRow():
                return ("delete",)
            case None:
                return ()

    @cached_property
    def eval_opener(self) -> EvalOpener:
        """Opens and resumes evaluations."""
        from sandbox_tui.tui.screens.evals.open_eval import EvalOpener

        return EvalOpener(self, self._evals, self._settings)

    def title_for(self, action: str) -> str:
        """Return what an action does with the row under the cursor if that is no session, or with
        runs that go on; empty if it has its usual title."""
        is_about_sessions = self.is_finding or self.sessions_chosen
        row = None if is_about_sessions else self.query_one(SessionList).current_row
        match action, row:
            case "delete", None if self._ender.can_end(self.sessions_chosen):
                return "End the run" if len(self.sessions_chosen) == 1 else "End the runs"
            case "delete", EvalRow():
                return "Delete the evaluation, with or without its sessions"
            case "compare", EvalRow():
                return "Compare the evaluation with another"
            case "export", EvalRow():
                return "Write and open the HTML report"
            case "delete", TrainingRow():
                return "Delete the training run, with or without its sessions"
            case _:
                return ""

    @property
    def passing_actions(self) -> tuple[str, ...]:
        """The actions whose keys come and go in the key bar: an evaluation has only its report."""
        report = () if self.evaluation_here is None else ("export",)
        return ("resume", "wall", *report)

    @property
    def evaluation_here(self) -> EvalSummary | None:
        """The evaluation under the cursor."""
        row = None if self.is_finding else self.query_one(SessionList).current_row
        return row.summary if isinstance(row, EvalRow) else None

    def words_on_evaluation(self, action: str) -> str | None:
        """Return what the key of an action does with the evaluation under the cursor; None if it
        does what it does with sessions."""
        found = self.evaluation_here
        if found is None or (action == "export" and self.sessions_chosen):
            return None
        return "report" if action == "export" else resume_words(found)

    @override
    def why_key_does_nothing(self, key: str) -> str:
        if not self.is_mounted or self.is_finding:
            return ""
        shown = self.query_one(SessionList)
        has_wall = not self.why_unavailable("wall", ())
        return why_key_of_run_does_nothing(key, shown, has_wall=has_wall)

    # --- the sessions meant

    @property
    def session_here(self) -> RunSummary | None:
        """The session under the cursor."""
        if self.is_finding:
            return self._search.session_here
        return self.query_one(SessionList).current

    @property
    def sessions_chosen(self) -> Sequence[RunSummary]:
        """The marked sessions; without marks, those of the row under the cursor. In a search, where
        marks are not shown, the session of the hit."""
        if self.is_finding:
            return [] if self.session_here is None else [self.session_here]
        return self.query_one(SessionList).chosen

    @property
    def are_marked(self) -> bool:
        """Whether the chosen sessions are those that are marked."""
        return not self.is_finding and bool(self.query_one(SessionList).marked)

    @property
    def is_finding(self) -> bool:
        """Whether search results are shown instead of all sessions."""
        return self._search.shows_hits

    @property
    def is_recording(self) -> bool:
        """Whether runs of this program are being recorded."""
        return bool(self._run_workers.unfinished)

    def listed_title(self, run: RunWorker) -> str:
        """Return the title of a run of this program: the user may have named it here."""
        running = self.query_one(SessionList).running_sessions
        return next((task_title(one) for one in running if one.id == run.run_id), None) or (
            task_line(run.request.task)
        )

    def opens_on_enter(self, run_id: str) -> bool:
        """Return whether enter opens this session now."""
        shown = self.query_one(SessionList)
        here = shown.current if shown.has_focus and app_of(self).screen is self else None
        return here is not None and here.id == run_id

    def reload(self) -> object:
        """Reload the sessions."""
        raise NotImplementedError

    def action_order(self) -> None:
        """Sort the sessions in the next order."""
        shown = self.query_one(SessionList)
        shown.sort_by(next_order(shown.order))
        self.reload()

    def action_evals(self) -> None:
        """Open the list of evaluations."""
        from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen

        app_of(self).push_screen(EvalsScreen(self._evals, self._settings))

    def action_trainings(self) -> None:
        """Open the list of training runs."""
        from sandbox_tui.tui.screens.training.trainings_screen import TrainingsScreen

        app_of(self).push_screen(TrainingsScreen(self._run_workers))

    # --- the session under the cursor

    def action_fork(self) -> None:
        """Fork the session at its end; the form changes the step."""
        if (run := self.session_here) is not None:
            go_to = self.query_one(SessionList).go_to  # the cursor is there once it is left
            self.post_message(ForkRequested(run.id, run.last_seq, started=go_to))

    def action_run_again(self) -> None:
        """Run the session's task again, from the beginning."""
        if (run := self.session_here) is not None:
            self.post_message(RunAgainRequested(run.id))

    def action_resume(self) -> None:
        """Resume the interrupted session, or the evaluation under the cursor."""
        run = self.session_here
        row = None if self.is_finding else self.query_one(SessionList).current_row
        reread_settings(app_of(self), self._settings)
        if isinstance(row, EvalRow):
            self.eval_opener.resume(row.summary.info)
        if run is None:
            return
        was_detached = is_detached(run.id)
        try:
            worker = resume_here(run, self._settings.now, self._run_workers)
        except SandboxTuiError as error:
            complain_here(self, str(error))
            return
        self._opener.open_run(worker)
        if was_detached:
            self.notify(NO_LONGER_DETACHED, markup=False, timeout=MAX_NOTICE_SECONDS)

    def action_rename(self) -> None:
        """Rename the session."""
        self._sessions.rename()

    def action_note(self) -> None:
        """Write or edit the note on the session."""
        self._sessions.note()

    def action_export(self) -> None:
        """Export the session to files, or all that are marked; on an evaluation, write its
        report."""
        if (found := self.evaluation_here) is None or self.sessions_chosen:
            self._sessions.export()
            return
        from sandbox_tui.tui.screens.evals.show_report import show_report

        writing = show_report(self, self._store, found.info.id)
        self.run_worker(writing, exclusive=True, group="report")

    def action_copy_id(self) -> None:
        """Copy the session's id."""
        self._sessions.copy_id()

    def action_folder(self) -> None:
        """Open the folder with the session's results."""
        self._sessions.open_folder()

    # --- the chosen sessions

    def action_tags(self) -> None:
        """Edit the tags of the chosen sessions."""
        self._sessions.tag()

    def action_delete(self) -> None:
        """Delete the chosen sessions, or the evaluation or training run under the cursor with or
        without its sessions, after asking."""
        is_about_sessions = self.is_finding or self.sessions_chosen
        row = None if is_about_sessions else self.query_one(SessionList).current_row
        match row:
            case EvalRow(summary=summary):
                from sandbox_tui.tui.screens.evals.delete_eval import delete_eval

                self._ask_about_row(delete_eval(self, summary, self._evals))
            case TrainingRow(summary=training):
                from sandbox_tui.tui.screens.training.delete_training import delete_training

                self._ask_about_row(delete_training(self, training, self._run_workers))
            case _:
                self._sessions.delete()

    def _ask_about_row(self, asking: Awaitable[None]) -> None:
        async def ask() -> None:
            await asking
            self.reload()

        self.run_worker(keys_for_dialog(self, ask()), exclusive=True, group="session")

    def action_compare(self) -> None:
        """Compare the two marked sessions, or the marked one with the one under the cursor, or a
        marked fork with its parent; mark the one under the cursor if none is marked. An evaluation
        is marked in the list of evaluations."""
        sessions = self.query_one(SessionList)
        if isinstance(row := sessions.current_row, EvalRow) and not self.is_finding:
            from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen

            app_of(self).push_screen(EvalsScreen(self._evals, self._settings, row.summary))
        elif marked := sessions.marked:
            self._opener.compare(marked, self.session_here)
            if [run.id for run in marked] == [self._marked_to_compare]:
                sessions.unmark()
        else:
            self.action_mark()
            self._marked_to_compare = "" if (run := sessions.current) is None else run.id
            key = hint("home.compare")
            words = f"{_MARKED}: {key} on another session compares the two."
            if self._opener.parent_of(sessions.current) is not None:
                words = (
                    f"{_MARKED}: {key} again compares it with its parent; on another, with that."
                )
            self._marks_in_notice = sessions.marked
            self.notify(words, markup=False, timeout=MAX_NOTICE_SECONDS)

    @property
    def has_mark_notice(self) -> bool:
        """Whether a notice says what the mark is for."""
        return any(toast.message.startswith(_MARKED) for toast in passing_toasts(app_of(self)))

    @on(SessionList.MarksChanged)
    def _forget_mark(self) -> None:
        """Remove the notice about a mark that is gone."""
        marked = [run.id for run in self.query_one(SessionList).marked]
        app = app_of(self)
        if marked != [run.id for run in self._marks_in_notice] and isinstance(app, DedupedToasts):
            app.remove_notices_with(_MARKED)

    def action_mark(self) -> None:
        """Mark or unmark the sessions of the row under the cursor."""
        self.query_one(SessionList).mark()
        self.refresh_bindings()
