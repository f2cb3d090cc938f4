"""Opens the wall from the list of sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from sandbox_tui.sessions import RunRegistry, RunSummary
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.sessions.session_list import SessionList

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunWorker


def why_no_wall(shown: SessionList, workers: RunRegistry) -> str:
    """Return why there is nothing to show on a wall; empty if there is something."""
    if workers.all or _chosen(shown) or shown.running_sessions:
        return ""
    return "no run was started here yet"


def open_wall(screen: Screen[None], shown: SessionList, workers: RunRegistry) -> None:
    """Show runs side by side.

    These are the marked sessions, or the samples that the cursor is on; otherwise all that are
    running if another program runs any of them, or the runs of this program.
    """
    from sandbox_tui.tui.screens.wall.run_group import RunGroup, all_that_run
    from sandbox_tui.tui.screens.wall.wall_runs import WallRuns
    from sandbox_tui.tui.screens.wall.wall_screen import WallScreen

    sessions, running = _chosen(shown), shown.running_sessions
    group = RunGroup(sessions, workers) if sessions else None
    if group is None and any(run.id not in workers.all for run in running):
        group = all_that_run(running, workers)
    if group is not None or WallRuns(workers).shown:
        chosen = "" if shown.current is None else shown.current.id
        app_of(screen).push_screen(WallScreen(workers, group, chosen=chosen))
    else:
        words = f"No run has been started yet; {hint('home.new')} starts one, or several."
        screen.notify(words, markup=False)


def open_wall_of(
    screen: Screen[Any],
    started: Sequence[RunWorker],
    workers: RunRegistry,
    then: Callable[[None], None],
) -> None:
    """Show the runs that were just started; a key shows the others of this program too.

    Args:
        screen: opens the wall.
        started: the runs, at least one.
        workers: all runs of this program.
        then: called after the wall was left.
    """
    from sandbox_tui.tui.screens.wall.started_together import StartedTogether
    from sandbox_tui.tui.screens.wall.wall_screen import WallScreen

    wall = WallScreen(workers, StartedTogether(started, workers), chosen=started[0].run_id)
    app_of(screen).push_screen(wall, then)


def _chosen(shown: SessionList) -> Sequence[RunSummary]:
    return shown.marked if len(shown.marked) > 1 else shown.samples_here
