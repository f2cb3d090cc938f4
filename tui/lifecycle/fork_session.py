"""Forks a session: shows the form for it, then the run."""

from __future__ import annotations

import asyncio

from textual.app import App

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.sessions import RunRegistry
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.reread_settings import reread_settings
from sandbox_tui.tui.screens.messages import ForkRequested
from sandbox_tui.tui.textual_support.toasts import complain_here


async def fork_session(
    app: App[int], settings: LiveSettings, runs: RunRegistry, asked: ForkRequested
) -> None:
    """Show the form for a fork, then start it.

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
        return
    described = await app.push_screen_wait(ForkDialog(plan, run, runs.store))
    if described is not None:
        worker = runs.fork(described.plan, described.request)
        app.push_screen(LiveScreen(worker, runs.store))
