"""Moves runs to separate programs, and ends this one if nothing is left to show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App

    from sandbox_tui.sessions import RunRegistry
    from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
    from sandbox_tui.tui.lifecycle.shutdown import Shutdown
    from sandbox_tui.tui.screens.messages import DetachRequested

LAST_SCREEN = 3
"""Screens while the dialog covers the last one: Textual's own, that one, and the dialog."""


def detach_runs(
    app: App[Any],
    event: DetachRequested,
    runs: RunRegistry,
    evals: EvalRegistry,
    shutdown: Shutdown,
) -> None:
    """Show the dialog that moves runs; if the program ends afterwards, it stays until then, so that
    no screen below looks as if its runs were still here."""
    from sandbox_tui.tui.screens.cockpit.live.detaching_runs import DetachingRunsDialog

    def ends() -> bool:
        is_last = event.quits or len(app.screen_stack) == LAST_SCREEN
        if not is_last or evals.running:
            return False
        shutdown.begin()
        return True

    app.push_screen(DetachingRunsDialog(event.workers, runs, ends), event.then)
