"""Shows a resumed run first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.sessions import RunRegistry, RunSummary
from sandbox_tui.sessions.remote.resume_here import resume_here

if TYPE_CHECKING:  # the screens are imported when they are shown
    from sandbox_tui.sessions.remote.run_handle import RunHandle


def resume_first(
    app: App[int], run: RunSummary, settings: Settings, runs: RunRegistry
) -> list[RunHandle]:
    """Resume a session, show it and return it; if that is refused, exit and print why."""
    from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen

    try:
        worker = resume_here(run, settings, runs)
    except SandboxTuiError as error:
        app.exit(return_code=error.exit_code, message=sanitize_line(f"sandbox-tui: {error}"))
        return []
    app.push_screen(LiveScreen(worker, runs.store))
    return [worker]
