"""Leaves the wall, after asking what becomes of the runs that it was opened for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from textual.screen import Screen

from sandbox_tui.sessions import RunRegistry
from sandbox_tui.sessions.recording.run_registry import ENDED_BY_USER
from sandbox_tui.sessions.remote.detach import can_be_detached
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.key_sequencer import is_escape
from sandbox_tui.tui.keys.leaving_word import leave_by_escape, leaving_word
from sandbox_tui.tui.screens.dialogs.leave_run import LeaveDialog, Leaving
from sandbox_tui.tui.screens.messages import DetachRequested
from sandbox_tui.tui.screens.wall.steering.resumable_runs import resumable
from sandbox_tui.tui.textual_support.toasts import put_toasts_away
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.wall.run_tile import RunTile


def leave_wall(
    wall: Screen[None], workers: RunRegistry, tiles: Sequence[RunTile], *, asks: bool
) -> None:
    """Close the wall. Escape is too easy a slip if that ends the program while runs go on or can be
    resumed.

    Args:
        wall: the screen.
        workers: the runs of this program.
        tiles: all of the wall.
        asks: whether active runs are asked about.
    """

    def left(choice: Leaving | None) -> None:
        if choice == "end":
            wall.run_worker(_end_all_and_leave(wall, workers), group="leaving")
        elif choice == "keep":
            app_of(wall).call_later(wall.dismiss, None)  # the question is still on top
        elif choice == "detach":
            wall.post_message(DetachRequested((), detached))

    def detached(all_detached: bool | None) -> None:
        if all_detached:
            app_of(wall).call_later(wall.dismiss, None)

    going = workers.running if asks else ()
    ended = resumable(tiles) if leaving_word(wall) == "leave" else ()
    if is_escape(wall) and (going or ended):
        wall.notify(_stays_words(ended), timeout=2, markup=False)
    elif going:
        states = [run.state for run in going]
        question = LeaveDialog(states, detachable=bool(can_be_detached(workers)))
        app_of(wall).push_screen(question, left)
    elif is_escape(wall):
        leave_by_escape(wall, partial(wall.dismiss, None))
    else:
        wall.dismiss(None)


def _stays_words(ended: Sequence[RunTile]) -> str:
    """Say which key leaves the wall, and which resumes runs that have ended."""
    words = f"{hint('wall.leave')} leaves the wall"
    if not ended:
        return f"{words}."
    which = f"run {ended[0].number}" if len(ended) == 1 else f"{len(ended)} runs"
    return f"{words}; {hint('wall.resume')} resumes {which}."


def puts_notices_away(wall: Screen[None]) -> bool:
    """Return whether the key that is being handled is escape, and notices were put away by it."""
    return is_escape(wall) and put_toasts_away(app_of(wall))


async def _end_all_and_leave(wall: Screen[None], workers: RunRegistry) -> None:
    await workers.stop(ENDED_BY_USER)
    if wall in app_of(wall).screen_stack:  # the user may have left while the runs ended
        wall.pop_until_active()
        wall.dismiss(None)
