"""Forks a session: shows the form for it, then the run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import App

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.reread_settings import reread_settings
from sandbox_tui.tui.screens.messages import ForkRequested
from sandbox_tui.tui.textual_support.toasts import complain_here

if TYPE_CHECKING:  # imports the agent, which the home screen does not need
    from sandbox_tui.sessions import RunRegistry, RunWorker
    from sandbox_tui.sessions.remote.run_handle import RunHandle
    from sandbox_tui.tui.screens.fork_description import ForkDescription
    from sandbox_tui.tui.screens.fork_draft import ForkDraft


class SessionForks:
    """Forks sessions of one program, and keeps the drafts of its forms.

    Args:
        app: shows the form and the run.
        settings: the current settings, for what a session did not record.
        runs: the runs of this program, and the store with the sessions.
    """

    def __init__(self, app: App[int], settings: LiveSettings, runs: RunRegistry) -> None:
        self._app = app
        self._settings = settings
        self._runs = runs
        self._drafts: dict[tuple[str, int], ForkDraft | None] = {}

    async def fork(self, asked: ForkRequested) -> RunWorker | None:
        """Show the form for a fork, then start it; return its run, or None if it was not started.

        Args:
            asked: the session and the event.
        """
        from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
        from sandbox_tui.tui.screens.home.rows.session_opener import is_above_runs

        try:
            described = await self._described(asked)
        except SandboxTuiError as error:
            complain_here(self._app, str(error))
            described = None
        worker = None
        if described is not None:
            worker = self._runs.fork(described.plan, described.request)
            asked.started(worker.run_id)
            asks = not is_above_runs(self._app)
            self._app.push_screen(LiveScreen(worker, self._runs.store, confirm_leave=asks))
        asked.then(None)
        return worker

    async def _described(self, asked: ForkRequested) -> ForkDescription | None:
        """Return what the form describes; None if it was left, which keeps a draft.

        Raises:
            SandboxTuiError: no run can be forked there.
        """
        from sandbox_tui.sessions.recording.fork_worker import ForkPlan
        from sandbox_tui.sessions.relations.last_model import last_model, with_last_model
        from sandbox_tui.tui.screens.dialogs.describe_fork import ForkDialog
        from sandbox_tui.tui.screens.kept_fork_drafts import KeptForkDrafts

        reread_settings(self._app, self._settings)
        store, usual = self._runs.store, self._settings.now
        parent = await asyncio.to_thread(store.run, asked.run_id)
        plan = await asyncio.to_thread(ForkPlan, store, parent, asked.at)
        if plan.is_after_submit:  # where the model could only submit again
            before = f"step:{plan.submitting_step - 1}"
            plan = await asyncio.to_thread(ForkPlan, store, parent, before)
        if parent.imported:  # its own model and server do not count
            usual = with_last_model(usual, await asyncio.to_thread(last_model, store))
        place = (asked.run_id, plan.fork_point.seq)
        draft = self._drafts.pop(place, None)
        kept = KeptForkDrafts()
        if draft is None:
            with contextlib.suppress(SandboxTuiError):
                draft = await asyncio.to_thread(kept.read, *place, store)
            if draft is not None:
                self._app.notify("The draft of this fork is restored.", markup=False, timeout=4)

        def keep(changed: ForkDraft | None) -> None:
            kept.write(*place, changed)

        form = ForkDialog(plan, plan.request(usual, {}), store, draft, keep)
        described = await self._app.push_screen_wait(form)
        if described is None:
            self._drafts[place] = form.draft
        else:
            keep(None)
        return described


def replace_failed(
    begun: Sequence[RunHandle], run_id: str, fork: RunHandle | None
) -> list[RunHandle]:
    """Return the runs that the program was started for; the fork of one that could not be resumed
    takes its place.

    Args:
        begun: those runs.
        run_id: the session that was forked.
        fork: its fork; None if it was not started.
    """
    return [
        fork if fork is not None and one.run_id == run_id and one.failure is not None else one
        for one in begun
    ]
