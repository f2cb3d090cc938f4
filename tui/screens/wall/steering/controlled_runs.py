"""Which runs of the wall a key acts on, and why it acts on none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from sandbox_tui.core.events.types import Mode
from sandbox_tui.core.run.human.run_controls import Controls
from sandbox_tui.sessions.recording.run_worker import ProgramExited
from sandbox_tui.sessions.remote.recorded_run import RecordedRun
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.cockpit.not_shown_yet import BEING_READ
from sandbox_tui.tui.screens.cockpit.why_not_steered import why_disconnected
from sandbox_tui.tui.screens.wall.steering.resumable_runs import (
    why_not_resumed,
    why_not_resumed_here,
)
from sandbox_tui.tui.widgets.wall.run_facts import is_attaching
from sandbox_tui.tui.widgets.wall.run_groups import has_ended
from sandbox_tui.tui.widgets.wall.run_selection import next_waiting
from sandbox_tui.tui.widgets.wall.run_tile import RunTile

_ABOUT_WAITING_CALL = ("approve", "approve_always", "reject")

_ON_ONE_RUN = frozenset(
    (*_ABOUT_WAITING_CALL, "open", "compare", "message", "mode", "pause", "end", "steer")
)
"""Actions on the chosen run."""

DECIDING = ("open", "approve", "reject", "approve_all")
"""Actions that decide about waiting calls, or lead to one."""

_ON_SEVERAL = frozenset(("message", "mode", "end"))
"""Those that a key can make actions on all runs shown."""

REPLACED = "another terminal is in control of this run"


def why_not(action: str, tile: RunTile | None) -> str:
    """Return why an action on the chosen run is not available; empty if it is."""
    if tile is None:
        return "no run is chosen"
    if action in ("open", "compare"):
        return ""
    if is_attaching(tile.worker) and tile.worker.can_be_steered:
        return BEING_READ
    if isinstance(tile.worker.failure, ProgramExited):
        return f"the run was interrupted: {hint('wall.resume')} resumes it"
    if why := why_disconnected(tile.worker):
        return why
    if tile.kind not in ("running", "waiting"):
        resumes = f"; {hint('wall.resume')} resumes it"
        return f"this run has ended{'' if why_not_resumed(tile) else resumes}"
    if isinstance(tile.worker, RecordedRun):
        return "another program runs it: decide and steer there"
    if action in _ABOUT_WAITING_CALL and tile.state.pending is None:
        return "no call of this run is waiting"
    if action == "steer":
        return "you are in control" if tile.worker.steers else why_never_steered(tile)
    return "" if tile.worker.steers else f"{REPLACED}; {hint('wall.steer')} takes control"


def why_never_steered(tile: RunTile) -> str:
    """Return why this program can never control a run; empty if it can."""
    return "" if tile.worker.can_be_steered else "this run can only be watched here"


def next_of_another(tiles: Sequence[RunTile], chosen: RunTile | None) -> RunTile | None:
    """Return the next run after this one that another terminal controls; None without any."""
    after = tiles.index(chosen) + 1 if chosen in tiles else 0
    rest = [*tiles[after:], *tiles[:after]]
    return next((one for one in rest if one is not chosen and not why_not("steer", one)), None)


def why_not_here(
    action: str,
    chosen: RunTile | None,
    tiles: Sequence[RunTile],
    hidden: Sequence[RunTile] = (),
) -> str:
    """Return why an action of the wall is not available; empty if it is.

    Args:
        action: its name.
        chosen: the focused run.
        tiles: those that are shown.
        hidden: those that search or filter hide.
    """
    if action == "resume" or (action == "reject" and chosen and has_ended(chosen.worker)):
        why = why_not_resumed_here(chosen, tiles)
        return why or ("" if action == "resume" else why_not("reject", chosen))
    if action == "pause_all":
        if tiles and all(has_ended(one.worker) for one in tiles):
            return "all runs have ended" if not hidden else "all runs that are shown have ended"
        return "" if active_modes(tiles) else "no run that is shown can be paused from here"
    if action == "steer" and next_of_another(tiles, chosen) is not None:
        return ""
    if action not in ("waiting", "approve_all"):
        is_for_others = action in _ON_SEVERAL and bool(others_for(chosen, tiles))
        return why_not(action, chosen) if action in _ON_ONE_RUN and not is_for_others else ""
    count = len(waiting_here(tiles))
    if action == "waiting":
        why = _why_no_next(chosen, tiles)
    elif count < 2 and (takes := _why_decided_elsewhere(tiles, count)):
        return takes
    else:
        why = "" if count > 1 else f"{'only one' if count else 'no'} call waits for you"
    others = len(waiting_here(hidden))
    if not why or not others:
        return why
    do = "does" if others == 1 else "do"
    return f"of the runs that are shown, {why}; of the hidden ones, {others} {do}: esc shows all"


def _why_no_next(chosen: RunTile | None, tiles: Sequence[RunTile]) -> str:
    """Return why there is no next run that waits; empty if there is one."""
    if next_waiting(tiles, chosen) is not None:
        return ""
    is_last = chosen is not None and chosen.kind == "waiting"
    return "no other run waits for you" if is_last else "no run waits for you"


def _why_decided_elsewhere(tiles: Sequence[RunTile], mine: int) -> str:
    """Return who decides about the waiting calls of tiles, and how this terminal can; empty if
    none waits elsewhere.

    Args:
        tiles: those that are shown.
        mine: number of calls that can be decided about from here.
    """
    those = [one for one in tiles if one.kind == "waiting" and why_not("approve", one)]
    if not those:
        return ""
    runs = "the run that waits" if len(those) == 1 else f"the {len(those)} runs that wait"
    if mine:
        runs = "the other run that waits" if len(those) == 1 else "the other runs that wait"
    if any(not why_not("steer", one) for one in those):
        return f"another terminal is in control of {runs}; {hint('wall.steer')} takes control"
    if not any(isinstance(one.worker, RecordedRun) for one in those):
        return ""
    return f"another program decides about {runs}"


def others_for(chosen: RunTile | None, tiles: Sequence[RunTile]) -> list[RunTile]:
    """Return the runs of tiles that a key is about if the chosen one has ended: those that can be
    controlled. Otherwise it is about the chosen run, and the list is empty."""
    if chosen is None or not has_ended(chosen.worker):
        return []
    return [one for one in tiles if controls_of([one]) and not why_not("end", one)]


def waiting_here(tiles: Sequence[RunTile]) -> list[RunTile]:
    """Return the tiles whose waiting calls can be decided about from here."""
    return [tile for tile in tiles if not why_not("approve", tile)]


def active_modes(tiles: Sequence[RunTile]) -> frozenset[Mode]:
    """Return the modes of the runs of tiles that can be controlled from here."""
    return frozenset(run.gate.mode for run in controls_of(tiles))


def controls_of(tiles: Sequence[RunTile]) -> list[Controls]:
    """Return what steers the runs of tiles that can be controlled from here."""
    runs = (one.worker.run for one in tiles if one.worker.steers)
    return [run for run in runs if is_steerable(run)]


def all_of(count: int, tiles: Sequence[RunTile]) -> str:
    """Return what to call the runs of tiles that a key is about.

    Args:
        count: number of these runs.
        tiles: those that are shown; another terminal or program may control some, and some may have
            ended.
    """
    if some_elsewhere(tiles):
        those = "both runs" if count == 2 else f"all {numbers.counted(count, 'run')}"
        return f"{those} that you control"
    if any(has_ended(one.worker) for one in tiles):
        return "both that still run" if count == 2 else f"all {count} that still run"
    return "both runs shown" if count == 2 else f"all {count} runs shown"


def some_elsewhere(tiles: Sequence[RunTile]) -> bool:
    """Return whether another terminal or program controls some runs of tiles that still run."""
    return not all(one.worker.steers or has_ended(one.worker) for one in tiles)


def is_steerable(run: Controls | None) -> TypeGuard[Controls]:
    return run is not None and run.steerable
