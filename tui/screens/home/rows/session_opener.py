"""Opens a session from a list: as a replay, or live if it is still running."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions import RunRegistry, RunSummary
from sandbox_tui.sessions.relations.listing import EvalRow, Row, SamplesRow, SessionRow, TrainingRow
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.sessions.search.across_sessions import OF_WHOLE_SESSION, Hit
from sandbox_tui.tui.textual_support.toasts import note_here
from sandbox_tui.tui.textual_support.typed_app import app_of

if TYPE_CHECKING:  # the screens are imported when they are shown
    from sandbox_tui.sessions.remote.run_handle import RunHandle
    from sandbox_tui.sessions.store.tables.trainings import TrainingSummary
    from sandbox_tui.tui.screens.cockpit.replay.replay_position import ReplayPosition


def is_above_runs(app: App[Any]) -> bool:
    """Return whether a screen that opens now is above the home screen or a wall, where its run goes
    on when it is left."""
    from sandbox_tui.tui.screens.home.home import HomeScreen
    from sandbox_tui.tui.screens.wall.wall_screen import WallScreen

    return any(isinstance(screen, HomeScreen | WallScreen) for screen in app.screen_stack)


def can_compare(marked: Sequence[RunSummary], here: RunSummary | None) -> bool:
    """Return whether two sessions are marked, or one is marked and the cursor is on another or on
    the same one, which is a fork."""
    chosen = _to_compare(marked, here)
    is_fork = len(chosen) == 1 and chosen[0].parent is not None
    return len(chosen) == 2 or (is_fork and here is not None)


def _to_compare(marked: Sequence[RunSummary], here: RunSummary | None) -> list[RunSummary]:
    alone = len(marked) == 1 and here is not None and here.id != marked[0].id
    return [*marked, here] if alone and here is not None else list(marked)


def opening_words(row: Row | None) -> str | None:
    """Return what opening a row of the list does; None for the words of every row."""
    match row:
        case SamplesRow(is_open=is_open):
            return "Fold the samples" if is_open else "List the samples"
        case EvalRow():
            return "Open the evaluation"
        case TrainingRow():
            return "Open the training run"
        case SessionRow(run=run):
            return "Watch the run" if _is_watched(run) else "Replay the session"
        case None:
            return None


def opening_word(row: Row | None, waiting: Container[str]) -> str:
    """Return what opening a row of the list does, in one word; empty without a row.

    Args:
        row: the row.
        waiting: ids of the runs that wait for the user, who can answer there.
    """
    match row:
        case SamplesRow(is_open=is_open):
            return "fold" if is_open else "list"
        case SessionRow(run=run):
            return "watch" if _is_watched(run) and run.id not in waiting else "open"
        case None:
            return ""
        case _:
            return "open"


def _is_watched(run: RunSummary) -> bool:
    """Return whether opening a session shows how it goes on; one of another host is replayed."""
    return run.outcome == "running" and not run.elsewhere


class SessionOpener:
    """Opens sessions on top of one screen.

    Args:
        screen: the screen below.
        workers: the runs of this program, and the store with all sessions.
    """

    def __init__(self, screen: Screen[Any], workers: RunRegistry) -> None:
        self._screen = screen
        self._run_workers = workers

    def open_run(
        self,
        worker: RunHandle,
        *,
        then: Callable[[None], None] | None = None,
        at: ReplayPosition | None = None,
    ) -> None:
        """Watch a run, which goes on in the background when it is left.

        Args:
            worker: the run.
            then: called after the screen was left.
            at: the match to show; None shows the end.
        """
        from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen

        store = self._run_workers.store
        screen = LiveScreen(worker, store, confirm_leave=False)
        if at is not None:
            screen.open_at(at)
        app_of(self._screen).push_screen(screen, then)

    def open_hit(self, hit: Hit) -> None:
        """Open a session at a search hit."""
        from sandbox_tui.tui.screens.cockpit.replay.replay_position import position_of

        has_place = hit.kind not in OF_WHOLE_SESSION
        if hit.run.outcome == "running" and not (hit.seq or hit.step):
            has_place = False  # its end is shown, and followed
        self.open(hit.run, position_of(hit) if has_place else None)

    def open(self, run: RunSummary, at: ReplayPosition | None = None) -> None:
        """Replay a session, or watch it if it is still running; from the start, or at a match."""
        worker = self._run_workers.all.get(run.id)
        if worker is not None and not worker.ended.is_set():
            self.open_run(worker, at=at)
        elif run.outcome == "running":
            self._watch_elsewhere(run, at)
        else:
            self._replay(run, at)

    def open_training(self, summary: TrainingSummary) -> None:
        """Open the screen of a training."""
        from sandbox_tui.tui.screens.training.training_screen import TrainingScreen

        app_of(self._screen).push_screen(TrainingScreen(summary, self._run_workers.store))

    def compare(self, marked: Sequence[RunSummary], here: RunSummary | None) -> None:
        """Compare the two marked sessions, or the marked one with the one under the cursor; the
        one that was marked first is on the left. A fork under the cursor that is marked alone is
        compared with its parent, which is on the left."""
        chosen = _to_compare(marked, here)
        if len(chosen) == 1 and (parent := self.parent_of(chosen[0])) is not None:
            chosen = [parent, *chosen]
        if len(chosen) != 2:
            words = "The session that this one was forked from was deleted."
            self._screen.notify(words, markup=False)
            return
        from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen

        left, right = chosen
        app_of(self._screen).push_screen(CompareScreen(left, right, self._run_workers.store))

    def parent_of(self, run: RunSummary | None) -> RunSummary | None:
        """Return the session that a fork was made from; None without one, or if it was deleted."""
        if run is None or run.parent is None:
            return None
        try:
            return self._run_workers.store.run(run.parent, strict=True)
        except StoreError:
            return None

    def _replay(self, run: RunSummary, at: ReplayPosition | None = None) -> None:
        """Replay a session from the start or from a position; it may have been deleted by now."""
        from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen

        try:
            replay = ReplayScreen(run, self._run_workers.store, at=at)
        except StoreError as error:
            self._screen.notify(str(error), severity="error", markup=False)
            return
        app_of(self._screen).push_screen(replay)

    def _watch_elsewhere(self, run: RunSummary, at: ReplayPosition | None) -> None:
        """Watch a run of another program, and steer it if that answers; replay one that has ended
        by now, and one of another host, as far as it got."""
        from sandbox_tui.sessions.remote.client import RunClient
        from sandbox_tui.tui.screens.cockpit.live.interrupted import follow_on_screen

        store = self._run_workers.store
        if is_detached(run.id):
            self.open_run(RunClient(run, store), at=at)
            return
        with contextlib.suppress(StoreError):  # the replay says so, too
            run = store.run(run.id, strict=True)
        if run.outcome == "running" and not run.elsewhere:
            follow_on_screen(app_of(self._screen), run, store, at)
            return
        self._replay(run, at)
        if run.outcome == "running":
            words = f"This session still runs in {run.program}. This is its recording so far."
            note_here(self._screen, words)
