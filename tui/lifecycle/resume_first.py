"""Shows a resumed run first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.sessions import RunRegistry, RunSummary
from sandbox_tui.sessions.remote.resume_here import NO_LONGER_DETACHED, resume_here
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.tui.textual_support.toasts import MAX_NOTICE_SECONDS

if TYPE_CHECKING:  # the screens are imported when they are shown
    from sandbox_tui.sessions.remote.run_handle import RunHandle


def resume_first(
    app: App[int], run: RunSummary, settings: Settings, runs: RunRegistry
) -> list[RunHandle]:
    """Resume a session, show it and return it; if that is refused, exit and print why."""
    from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen

    was_detached = is_detached(run.id)
    try:
        worker = resume_here(run, settings, runs)
    except SandboxTuiError as error:
        app.exit(return_code=error.exit_code, message=sanitize_line(f"sandbox-tui: {error}"))
        return []
    app.push_screen(LiveScreen(worker, runs.store))
    if was_detached:
        app.notify(NO_LONGER_DETACHED, markup=False, timeout=MAX_NOTICE_SECONDS)
    return [worker]
