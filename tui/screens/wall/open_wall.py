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

    These are the marked sessions, or the samples that the cursor is on. With the cursor on a
    running session, they are all that are running, otherwise the runs of this program, or, if there
    are none, all that are running.
    """
    from sandbox_tui.tui.screens.wall.run_group import RunGroup, in_order_of_launch
    from sandbox_tui.tui.screens.wall.wall_runs import WallRuns
    from sandbox_tui.tui.screens.wall.wall_screen import WallScreen

    sessions = _chosen(shown)
    if not sessions and (_is_on_run_elsewhere(shown, workers) or not workers.all):
        sessions = in_order_of_launch(shown.running_sessions)
    if sessions:
        chosen = "" if shown.current is None else shown.current.id
        wall = WallScreen(workers, RunGroup(sessions, workers), chosen=chosen)
        app_of(screen).push_screen(wall)
    elif WallRuns(workers).shown:
        app_of(screen).push_screen(WallScreen(workers))
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

    wall = WallScreen(workers, StartedTogether(started), chosen=started[0].run_id)
    app_of(screen).push_screen(wall, then)


def _is_on_run_elsewhere(shown: SessionList, workers: RunRegistry) -> bool:
    """Return whether the cursor is on a running session and not all of those are runs of this
    program."""
    here = shown.current
    if here is None or here.outcome != "running":
        return False
    return any(run.id not in workers.all for run in shown.running_sessions)


def _chosen(shown: SessionList) -> Sequence[RunSummary]:
    return shown.marked if len(shown.marked) > 1 else shown.samples_here
