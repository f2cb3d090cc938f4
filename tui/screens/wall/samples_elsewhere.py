"""The samples of one evaluation that another program runs, as the runs of a wall."""

from __future__ import annotations

import asyncio
import contextlib

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions import RunRegistry, RunSummary
from sandbox_tui.sessions.remote.recorded_run import RecordedRun
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.screens.wall.run_group import RunGroup

POLL_SECONDS = 1.0
"""Seconds between two looks at which samples run."""


class SamplesElsewhere:
    """Samples appear as their program begins them, and disappear when they end.

    Args:
        eval_id: the evaluation.
        workers: the runs of this program, and the store.

    Attributes:
        all: the running samples, by session, the oldest first.
    """

    def __init__(self, eval_id: str, workers: RunRegistry) -> None:
        self._eval_id = eval_id
        self._workers = workers
        self.all: dict[str, FoldedRun] = {}

    def follow(self, screen: Screen[None]) -> None:
        """Attach to the running samples as long as a screen is open."""
        screen.run_worker(self._follow(screen), group="watching")

    async def _follow(self, screen: Screen[None]) -> None:
        while True:
            with contextlib.suppress(StoreError):  # the evaluation's own screen reports it
                running, found = await asyncio.to_thread(self._read)
                group = RunGroup(found, self._workers)
                self.all = {
                    run_id: run
                    for run_id in running
                    if (run := group.all.get(run_id) or self.all.get(run_id)) is not None
                }
                group.watch(screen)
            await asyncio.sleep(POLL_SECONDS)

    def _read(self) -> tuple[list[str], list[RunSummary]]:
        """Return the sessions of the running samples, and the summaries of those that are new."""
        store = self._workers.store
        marks = ledger.marks(store, self._eval_id)
        running = sorted(str(run_id) for status, run_id, _ in marks if status == "running")
        found: list[RunSummary] = []
        for run_id in filter(self._is_new, running):
            with contextlib.suppress(StoreError):  # it has recorded nothing yet
                found.append(store.run(run_id, strict=True))
        return running, found

    def _is_new(self, run_id: str) -> bool:
        """Return whether a sample is not shown, or answers only now."""
        shown = self.all.get(run_id)
        return shown is None or (isinstance(shown, RecordedRun) and is_detached(run_id))
