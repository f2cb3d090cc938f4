"""Shows runs that a form has started."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import App

from sandbox_tui.sessions import RunRegistry, RunWorker


def show_started(
    app: App[int],
    started: Sequence[RunWorker],
    runs: RunRegistry,
    then: Callable[[None], None],
) -> None:
    """Show the only run, or several side by side.

    Args:
        app: the program.
        started: the runs, at least one.
        runs: all runs of this program.
        then: called after the screen was left.
    """
    from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
    from sandbox_tui.tui.screens.home.rows.session_opener import is_above_runs
    from sandbox_tui.tui.screens.wall.open_wall import open_wall_of

    if len(started) > 1:
        open_wall_of(app.screen, started, runs, then)
    else:
        asks = not is_above_runs(app)
        app.push_screen(LiveScreen(started[0], runs.store, confirm_leave=asks), then)
