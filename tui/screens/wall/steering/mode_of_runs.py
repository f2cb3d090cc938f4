"""The mode of the chosen run of the wall, or of all runs that it shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from textual.screen import Screen

from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.events.types import Mode
from sandbox_tui.core.run.human.run_controls import Controls
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.status import awaits_next_try
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.cockpit.live.choose_mode import ALLOWED, ModeDialog, number_that_stays
from sandbox_tui.tui.screens.cockpit.live.steering import RunSteering
from sandbox_tui.tui.screens.wall.dialogs.choose_mode_of_all import (
    AllRunsModeDialog,
    WallModeDialog,
)
from sandbox_tui.tui.screens.wall.steering.controlled_runs import (
    all_of,
    controls_of,
    is_steerable,
    waiting_here,
)
from sandbox_tui.tui.screens.wall.steering.key_answers import KeyAnswers
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.wall.run_tile import RunTile


def ask_for_mode(
    screen: Screen[None],
    answers: KeyAnswers,
    tile: RunTile,
    tiles: Sequence[RunTile],
    steering: RunSteering,
    *,
    is_about_others: bool,
) -> None:
    """Ask for the mode of a run, or of all runs of these tiles that can be controlled.

    Args:
        screen: the wall.
        answers: shows which mode was set.
        tile: that of the run.
        tiles: those that are shown.
        steering: steers the run.
        is_about_others: whether the chosen run has ended, so that it is about all others.
    """
    run, others = tile.worker.run, controls_of(tiles)
    if run is None:
        return
    dialog = _dialog(run, tile, tiles, others, is_about_others=is_about_others)

    def chosen(mode: Mode | Literal["allowed"] | None) -> None:
        if mode == ALLOWED:
            steering.show_allowed()
        elif mode is not None:
            is_for_all = isinstance(dialog, WallModeDialog) and dialog.is_for_all
            wanted = [one for one in (others if is_for_all else [run]) if is_steerable(one)]
            runs = [*map(id, wanted)]
            waiting = [one for one in waiting_here(tiles) if id(one.worker.run) in runs]
            words = _chosen_words(mode, tile.number, wanted, _that_stay(waiting))
            for one in wanted:
                one.choose_mode(mode)
            if wanted:
                answers.say("mode", words)

    app_of(screen).push_screen(dialog, chosen)


def _dialog(
    run: Controls,
    tile: RunTile,
    tiles: Sequence[RunTile],
    others: Sequence[Controls],
    *,
    is_about_others: bool,
) -> ModeDialog:
    number, allowed = number_that_stays(tile.state.pending), len(tile.state.granted)
    now, is_paused = run.gate.resume_mode, run.gate.mode == "paused"
    if len(others) < 2:
        return ModeDialog(now, number, allowed, is_paused=is_paused)
    modes: list[Mode] = [one.gate.resume_mode for one in others]
    kind = AllRunsModeDialog if is_about_others else WallModeDialog
    those = all_of(len(others), tiles)

    def stay() -> int:
        return _that_stay(waiting_here(tiles))

    return kind(now, modes, those, number, allowed, stay, is_paused=is_paused)


def _that_stay(waiting: Sequence[RunTile]) -> int:
    """Return how many of these calls wait on, whatever the mode."""
    return sum(number_that_stays(one.state.pending) is not None for one in waiting)


def pauses_later(state: RunState) -> bool:
    """Return whether a run that is told to pause does so only after its reply or call."""
    return state.pending is None and state.awaited is None and not awaits_next_try(state)


def pausing_words(runs: int, later: int, paused: int = 0, *, some_elsewhere: bool = False) -> str:
    """Say that runs pause, some of which finish what they do before.

    Args:
        runs: number of runs that were told to pause.
        later: how many of these have a reply or a call in progress.
        paused: how many others were paused before.
        some_elsewhere: whether other runs that are shown are controlled elsewhere.
    """
    whole = runs + paused
    if not later:
        yours = " that you control" if some_elsewhere else ""
        all_now = f"both{yours} are" if whole == 2 else f"all {whole}{yours} are"
        return (
            f"Paused {numbers.counted(runs, 'run')}{f': {all_now} paused now' if paused else ''}."
        )
    keys = f"{hint('wall.open')}, then {hint('live.interrupt')} interrupts a command"
    if later < runs:
        done = f"Paused {runs - later} of {runs} runs"
        if paused:
            done = f"Paused {runs - later} more: {whole - later} of {whole} runs are paused now"
        return f"{done}; the rest pause after their current call; {keys}."
    what = numbers.counted(runs, "more run" if paused else "run")
    words = f"Pausing {what}: {'each' if runs > 1 else 'it'} pauses after its current call"
    if paused:
        words += f"; the other{'s are' if paused > 1 else ' one is'} paused"
    return f"{words}; {keys}."


def _chosen_words(mode: Mode, number: int, runs: Sequence[Controls], waiting: int) -> str:
    """Say which mode runs will have: that with this number, or several; paused ones stay so, and
    calls that wait are not decided by it."""
    paused = sum(one.gate.mode == "paused" for one in runs)
    several = "both runs" if len(runs) == 2 else f"all {len(runs)} runs"
    where = several if len(runs) > 1 else f"run {number}"
    if paused and paused == len(runs):
        when = f" once you resume {'them' if paused > 1 else 'it'}"
        return f"Mode {mode} in {where}{when}{_still_waiting(waiting, len(runs))}."
    still = f"; {paused} of them {'stays' if paused == 1 else 'stay'} paused" if paused else ""
    return f"Mode {mode} in {where}{still}{_still_waiting(waiting, len(runs))}."


def _still_waiting(calls: int, runs: int) -> str:
    """Say that calls still wait, and the key that decides on them or leads to them; empty if none
    does."""
    if not calls:
        return ""
    if runs == 1:
        return f"; its call still waits: {hint('wall.approve')} approves it"
    key = f"{hint('wall.waiting')} goes to it"
    if calls > 1:
        key = f"{hint('wall.approve_all')} decides on them"
    return f"; {numbers.counted(calls, 'call')} still {'wait' if calls > 1 else 'waits'}: {key}"
