"""Keeps the list of sessions up to date, mostly without reading all of it again."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from textual.screen import Screen

from sandbox_tui.core.base.errors import NotStored, StoreError
from sandbox_tui.sessions import Store
from sandbox_tui.tui.screens.home.session_reading import read_progress, read_running
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.sessions.session_list import SessionList

POLL_SECONDS = 1.0
"""Seconds between two looks at the running items and at the database."""

AGE_SECONDS = 20.0
"""Seconds between updates of the sessions' ages, which are given in minutes at least."""

REREAD_SECONDS = 5.0
"""Minimum seconds between two full reads because other programs changed the database."""


class RowUpdates:
    """Polls the items that the list shows as running, and the database for other programs' changes.

    Args:
        screen: contains a `SessionList`.
        store: the store that contains them.
        reload: reloads the whole list after one of them started or stopped waiting, or ended.
        progressed: called when the figures of a row have changed, or what its session does.
    """

    def __init__(
        self,
        screen: Screen[None],
        store: Store,
        reload: Callable[[], object],
        progressed: Callable[[], None],
    ) -> None:
        self._screen = screen
        self._store = store
        self._reload = reload
        self._progressed = progressed
        self._version = -1
        self._reread_at = 0.0

    def begin(self) -> None:
        """Start polling for changes made from now on."""
        with contextlib.suppress(StoreError):  # the first full read reports it
            self._version = self._store.data_version()
        self._screen.set_interval(POLL_SECONDS, self.poll)
        self._screen.set_interval(AGE_SECONDS, self._redraw_ages)

    def poll(self) -> None:
        """Poll once if the list is on the screen."""
        if self._screen.is_current:
            self._screen.run_worker(self._poll, exclusive=True, group="look")

    def _redraw_ages(self) -> None:
        """Draw the lists again: their rows say how long ago a session began."""
        if self._screen.is_current:
            for rows in self._screen.query(BlockList):
                rows.redraw_first(rows.block_count())

    async def _poll(self) -> None:
        try:
            version = await asyncio.to_thread(self._store.data_version)
        except StoreError:  # the next full read reports it
            return
        if version != self._version and time.monotonic() >= self._reread_at + REREAD_SECONDS:
            self._version, self._reread_at = version, time.monotonic()
            self._reload()
        elif self._list.running or self._list.running_batches:
            await self._poll_running()

    async def _poll_running(self) -> None:
        shown = self._list
        runs, waiting, batches = shown.running, shown.waiting, shown.running_batches
        try:
            now, held = await asyncio.to_thread(read_running, self._store, runs)
            progress = await asyncio.to_thread(read_progress, self._store, batches)
        except NotStored:  # one of them ended and was deleted since
            self._reload()
            return
        except StoreError:  # the next full read reports it
            return
        if (shown.running, shown.waiting, shown.running_batches) != (runs, waiting, batches):
            return  # the list was reloaded in the meantime
        still = frozenset(run.id for run in now)
        if (still, held) != (runs, waiting) or progress.running != batches:
            self._reload()
            return
        runs_here = shown.show_running(now)
        if shown.show_progress(progress.evaluations, progress.trainings) or runs_here:
            self._progressed()

    @property
    def _list(self) -> SessionList:
        return self._screen.query_one(SessionList)
