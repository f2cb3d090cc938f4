"""Sessions shown on a wall of their own: those that run can be decided about from there."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Mapping

from textual.screen import Screen
from textual.worker import Worker
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunRegistry, RunSummary
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.followed_run import going_on_elsewhere
from sandbox_tui.sessions.remote.recorded_run import RecordedRun
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.tui.screens.messages import GoesOnElsewhere

MAX_CONCURRENT_READS = 4
"""Maximum number of ended sessions that are read at the same time."""

POLL_SECONDS = 1.0
"""Seconds between two looks which runs go on in another program than before."""


class RunGroup:
    """Any sessions as runs of a wall.

    A run of this program is shown as such, also one that is resumed here later; to a detached one
    this program attaches; of all others the record is read. One that another program resumes is
    followed there.

    Args:
        sessions: in the order of their numbers.
        workers: the runs of this program, and the store.
    """

    def __init__(self, sessions: Iterable[RunSummary], workers: RunRegistry) -> None:
        self._reads = asyncio.Semaphore(MAX_CONCURRENT_READS)
        self._workers = workers
        self._runs = {session.id: _run_of(session, workers) for session in sessions}
        self._watching: dict[str, Worker[None]] = {}
        self._left_here: dict[str, FoldedRun] = {}
        """Runs of this program that had ended when another program resumed them."""

    @property
    def all(self) -> Mapping[str, FoldedRun]:
        """The runs, by session."""
        shown = {run_id: self._now(run_id, run) for run_id, run in self._runs.items()}
        begun = {run_id: run for run_id, run in shown.items() if run.state.seq}
        self._runs = self._runs | begun
        return shown

    def _now(self, run_id: str, run: FoldedRun) -> FoldedRun:
        """Return the run of this program for a session, unless it goes on elsewhere since; else
        `run`."""
        here = self._workers.all.get(run_id)
        return run if here is None or here is self._left_here.get(run_id) else here

    def add_runs_here(self) -> None:
        """Add the active runs of this program, which may not be recorded yet; sort all in the order
        in which they were launched."""
        here = {one: run for one, run in self._workers.all.items() if not run.ended.is_set()}
        self._runs = dict(sorted((self._runs | here).items()))

    def follow(self, screen: Screen[None]) -> None:
        """Fold the events of the runs of other programs as long as a screen is open, and follow
        them to the programs that resume them."""
        self.watch(screen)
        screen.run_worker(self._look(screen), group="watching")

    def watch(self, screen: Screen[None]) -> None:
        """Fold the events of the runs of other programs as long as a screen is open."""
        for run in self._runs.values():
            self._begin(run, screen)

    def _begin(self, run: FoldedRun, screen: Screen[None]) -> None:
        def complain(words: str) -> None:
            screen.notify(sanitize_line(words), severity="warning", markup=False)

        if isinstance(run, RunClient):
            run.complain = complain
            self._watching[run.run_id] = screen.run_worker(_watch(run), group="watching")
        elif isinstance(run, RecordedRun):
            self._watching[run.run_id] = screen.run_worker(self._read(run), group="watching")

    async def _look(self, screen: Screen[None]) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS)
            runs, store = list(self.all.values()), self._workers.store
            with contextlib.suppress(StoreError):  # it may be readable the next time
                for before, now in await asyncio.to_thread(going_on_elsewhere, runs, store):
                    if self.all[now.run_id] is before:  # nothing has taken its place meanwhile
                        self._replace(before, now, screen)

    def _replace(
        self, before: FoldedRun, now: RunClient | RecordedRun, screen: Screen[None]
    ) -> None:
        if (watching := self._watching.get(before.run_id)) is not None:
            watching.cancel()
        if before is self._workers.all.get(now.run_id):
            self._left_here[now.run_id] = before
        self._runs = {**self._runs, now.run_id: now}
        self._begin(now, screen)
        screen.post_message(GoesOnElsewhere(now))

    async def _read(self, run: RecordedRun) -> None:
        if run.is_growing:
            await _watch(run)
            return
        async with self._reads:
            await _watch(run)


class RunsFollowed(RunGroup):
    """Runs of this program, each in the program that resumes it after it has ended here."""

    def __init__(self, workers: RunRegistry) -> None:
        super().__init__([], workers)

    @property
    @override
    def all(self) -> Mapping[str, FoldedRun]:
        return self.in_place(self._workers.all)

    def in_place(self, runs: Mapping[str, FoldedRun]) -> Mapping[str, FoldedRun]:
        """Return these runs of this program, with those instead that other programs resumed."""
        return {run_id: self._followed(run_id, run) for run_id, run in runs.items()}

    def _followed(self, run_id: str, run: FoldedRun) -> FoldedRun:
        return self._runs[run_id] if self._left_here.get(run_id) is run else run


def in_order_of_launch(sessions: Iterable[RunSummary]) -> list[RunSummary]:
    """Return sessions by their ids, the first launched first: the times at which they started are
    those at which their sandboxes were ready."""
    return sorted(sessions, key=lambda session: session.id)


def all_that_run(sessions: Iterable[RunSummary], workers: RunRegistry) -> RunGroup:
    """Return sessions that are running and the active runs of this program, which may not be
    recorded yet, in the order in which they were launched."""
    group = RunGroup(sessions, workers)
    group.add_runs_here()
    return group


def _run_of(session: RunSummary, workers: RunRegistry) -> FoldedRun:
    here = workers.all.get(session.id)
    if here is not None:
        return here
    if session.outcome == "running" and is_detached(session.id):
        return RunClient(session, workers.store)
    return RecordedRun(session, workers.store)


async def _watch(run: RunClient | RecordedRun) -> None:
    """Fold a run's events; an error becomes its `failure`."""
    try:
        async for _ in run.watch():
            pass
    except SandboxTuiError as error:
        run.failure = error
