"""Keeps the rows of what is running up to date, without reading the whole list again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions import Store
from sandbox_tui.tui.screens.home.session_reading import read_progress, read_running
from sandbox_tui.tui.widgets.sessions.session_list import SessionList


class RunningRows:
    """Looks at the sessions, evaluations and trainings that the list shows as running.

    Args:
        screen: composed of a `SessionList`.
        store: where they are.
        reload: reads the whole list, once one of them waits, waits no longer, or has ended.
        progressed: the figures of a row have changed.
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

    def look(self) -> None:
        """Look at them, where there are any, while the list is on the screen."""
        shown = self._list
        if not self._screen.is_current:
            return
        if shown.running or shown.running_batches:
            self._screen.run_worker(self._look, exclusive=True, group="look")

    async def _look(self) -> None:
        shown = self._list
        runs, waiting, batches = shown.running, shown.waiting, shown.running_batches
        with contextlib.suppress(StoreError):  # the next reading of all says it
            now = await asyncio.to_thread(read_running, self._store, runs)
            progress = await asyncio.to_thread(read_progress, self._store, batches)
            if (shown.running, shown.waiting, shown.running_batches) != (runs, waiting, batches):
                return  # the list was read meanwhile
            if now != (runs, waiting) or progress.running != batches:
                self._reload()
            elif shown.show_progress(progress.evaluations, progress.trainings):
                self._progressed()

    @property
    def _list(self) -> SessionList:
        return self._screen.query_one(SessionList)
