"""What the palette offers about the session that a screen shows, or has chosen, without a key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.app import App
from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.sessions import RunRegistry
from sandbox_tui.tui.format.run_end import said_in_submit
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.synonyms import synonyms
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.cockpit.nothing_to_act_on import why_not_after_the_end
from sandbox_tui.tui.screens.export_session import export_recorded
from sandbox_tui.tui.screens.home.rows.session_opener import SessionOpener
from sandbox_tui.tui.screens.messages import ForkRequested
from sandbox_tui.tui.screens.palette.entry import Entry
from sandbox_tui.tui.textual_support.copy_text import copy

if TYPE_CHECKING:
    from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
    from sandbox_tui.tui.widgets.wall.run_tile import RunTile

_RUNNING, _NO_ANSWER = "the run has no answer yet", "the run left no answer"
"""Why no answer can be copied."""


def session_entries(app: App[int], below: Screen[object], runs: RunRegistry) -> Sequence[Entry]:
    """Return the entries about a session: its id and its answer are copied, a fork is compared with
    the session it was forked from, and the chosen run of a wall is exported.

    Args:
        app: the program.
        below: the screen from which the palette was opened.
        runs: the runs of this program, and the store with all sessions.
    """
    from sandbox_tui.tui.screens.wall.wall_screen import WallScreen

    if isinstance(below, Cockpit):
        run_id = below.session[1]
        about = (_copy_id(app, run_id), _copy_answer(app, below.state))
        return (*about, *_compare_with_parent(below, runs, run_id))
    if isinstance(below, WallScreen) and (tile := below.chosen) is not None:
        run_id = tile.worker.run_id
        export = partial(export_recorded, below, runs.store, run_id)
        words, also = f"Export run {tile.number}", synonyms("home.export")
        exported = Entry("Actions", "export_run", words, "", export, "", also)
        return (
            *_end_all(below),
            fork_run(below, tile),
            exported,
            _copy_id(app, run_id),
            _copy_answer(app, tile.state),
        )
    return ()


def _end_all(wall: WallScreen) -> Sequence[Entry]:
    """Return the entry that ends all runs of a wall, if there are several."""
    if (count := wall.ended_together) < 2:
        return ()
    words, also = f"End all {count} runs", f"all everything {synonyms('wall.end')}"
    return (Entry("Actions", "wall.end_all", words, "", wall.action_end_all, "", also),)


def fork_run(wall: Screen[object], tile: RunTile) -> Entry:
    """Return the entry that forks a run of a wall."""

    def fork() -> None:
        wall.post_message(ForkRequested(tile.worker.run_id, tile.state.seq))

    words, off = f"Fork run {tile.number}", why_not_after_the_end("fork", tile.state)
    return Entry("Actions", f"fork_run_{tile.number}", words, "", fork, off, synonyms("home.fork"))


def _copy_id(app: App[int], run_id: str) -> Entry:
    words, also = ACTIONS["home.copy_id"].title, synonyms("home.copy_id")
    copy_id = partial(copy, app, run_id)
    return Entry("Actions", "home.copy_id", words, run_id, copy_id, "", also)


def _copy_answer(app: App[int], state: RunState) -> Entry:
    written = "" if state.finished is None else (state.finished.answer or "").strip()
    answer = written or said_in_submit(state).strip()
    off = "" if answer else _RUNNING if state.finished is None else _NO_ANSWER
    copy_answer: Callable[[], object] = partial(copy, app, answer)
    also = "clipboard yank result"
    return Entry("Actions", "copy_answer", "Copy the answer", "", copy_answer, off, also)


def _compare_with_parent(below: Screen[object], runs: RunRegistry, run_id: str) -> Sequence[Entry]:
    try:
        run = runs.store.run(run_id, strict=True)
    except StoreError:  # it has no events yet
        return ()
    opener = SessionOpener(below, runs)
    off = "" if run.parent is not None else _no_fork()
    words, also = "Compare the fork with its parent", "diff difference"
    name = "compare_with_parent"
    return (Entry("Actions", name, words, "", lambda: opener.compare([run], run), off, also),)


def _no_fork() -> str:
    key = hint("home.compare")
    return f"this session is not a fork; {key} on the home screen compares any two"
