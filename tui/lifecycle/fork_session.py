"""Forks a session: shows the form for it, then the run."""

from __future__ import annotations

import asyncio
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


async def fork_session(
    app: App[int], settings: LiveSettings, runs: RunRegistry, asked: ForkRequested
) -> RunWorker | None:
    """Show the form for a fork, then start it; return its run, or None if it was not started.

    Args:
        app: shows the form and the run.
        settings: the current settings, for what the session did not record.
        runs: the runs of this program, and the store with the session.
        asked: the session and the event.
    """
    from sandbox_tui.sessions.recording.fork_worker import ForkPlan
    from sandbox_tui.sessions.relations.last_model import last_model, with_last_model
    from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
    from sandbox_tui.tui.screens.dialogs.describe_fork import ForkDialog

    try:
        reread_settings(app, settings)
        parent = await asyncio.to_thread(runs.store.run, asked.run_id)
        plan = await asyncio.to_thread(ForkPlan, runs.store, parent, asked.seq)
        if plan.is_after_submit:  # where the model could only submit again
            before = f"step:{plan.submitting_step - 1}"
            plan = await asyncio.to_thread(ForkPlan, runs.store, parent, before)
        usual = settings.now
        if parent.imported:  # its own model and server do not count
            last = await asyncio.to_thread(last_model, runs.store)
            usual = with_last_model(usual, last)
        run = plan.request(usual, {})
    except SandboxTuiError as error:
        complain_here(app, str(error))
        asked.then(None)
        return None
    described = await app.push_screen_wait(ForkDialog(plan, run, runs.store))
    worker = None if described is None else runs.fork(described.plan, described.request)
    if worker is not None:
        app.push_screen(LiveScreen(worker, runs.store))
    asked.then(None)
    return worker


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
