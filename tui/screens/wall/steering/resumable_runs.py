"""Which runs of the wall can be resumed, and why the others cannot."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.base.errors import SandboxNotLeft
from sandbox_tui.core.events.types import RESUMABLE
from sandbox_tui.sessions import RunWorker
from sandbox_tui.sessions.recording.run_worker import ProgramExited
from sandbox_tui.sessions.remote.recorded_run import RecordedRun
from sandbox_tui.tui.widgets.wall.group_summary import short_ranges
from sandbox_tui.tui.widgets.wall.run_groups import has_ended
from sandbox_tui.tui.widgets.wall.run_tile import RunTile


def why_not_resumed(tile: RunTile | None) -> str:
    """Return why a run cannot be resumed, judged by how it ended; empty if it can."""
    if tile is None:
        return "no run is chosen"
    run, finished = tile.worker, tile.state.finished
    if not has_ended(run):
        return "this run still runs"
    if isinstance(run, RecordedRun) and run.summary.imported:
        return "this session was recorded elsewhere"
    if finished is not None:
        return "" if finished.reason in RESUMABLE else "this run has ended for good"
    if isinstance(run.failure, ProgramExited):
        return ""
    if isinstance(run.failure, SandboxNotLeft):
        return "this run's sandbox is gone"
    if run.state.started is None:
        return "this run has not started"
    return "" if isinstance(run, RunWorker) and run.ended.is_set() else "this run cannot be resumed"


def resumable(tiles: Sequence[RunTile]) -> list[RunTile]:
    """Return the tiles whose runs can be resumed."""
    return [tile for tile in tiles if not why_not_resumed(tile)]


def why_not_resumed_here(chosen: RunTile | None, tiles: Sequence[RunTile]) -> str:
    """Return why the key that resumes does nothing, and which runs can be resumed; empty if it does
    something: on a run that has ended for good, it is about the others.

    Args:
        chosen: the focused run.
        tiles: those that are shown.
    """
    why = why_not_resumed(chosen)
    others = sorted(one.number for one in resumable(tiles)) if why else []
    if not others:
        return why
    if chosen is not None and has_ended(chosen.worker):
        return ""
    which = f"run {others[0]}" if len(others) == 1 else f"runs {short_ranges(others)}"
    return f"{why}; {which} can be resumed"


def to_resume(chosen: RunTile, tiles: Sequence[RunTile]) -> tuple[RunTile, int]:
    """Return the run that is resumed if not all are: the chosen one, else the first of the others;
    and how many can be resumed.

    Args:
        chosen: the focused run.
        tiles: those that are shown.
    """
    found = sorted(resumable(tiles), key=lambda tile: tile.number)
    return (chosen if chosen in found or not found else found[0]), len(found)
