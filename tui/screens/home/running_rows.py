"""Keeps the rows of running items up to date without reading the whole list again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.screen import Screen

from sandbox_tui.core.base.errors import NotStored, StoreError
from sandbox_tui.sessions import Store
from sandbox_tui.tui.screens.home.session_reading import read_progress, read_running
from sandbox_tui.tui.widgets.sessions.session_list import SessionList


class RunningRows:
    """Polls the sessions, evaluations and trainings that the list shows as running.

    Args:
        screen: contains a `SessionList`.
        store: the store that contains them.
        reload: reloads the whole list after one of them started or stopped waiting, or ended.
        progressed: called when the figures of a row have changed.
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
        """Poll the running items, if there are any and the list is on the screen."""
        shown = self._list
        if not self._screen.is_current:
            return
        if shown.running or shown.running_batches:
            self._screen.run_worker(self._look, exclusive=True, group="look")

    async def _look(self) -> None:
        shown = self._list
        runs, waiting, batches = shown.running, shown.waiting, shown.running_batches
        try:
            now = await asyncio.to_thread(read_running, self._store, runs)
            progress = await asyncio.to_thread(read_progress, self._store, batches)
        except NotStored:  # one of them ended and was deleted since
            self._reload()
            return
        except StoreError:  # the next full read reports it
            return
        if (shown.running, shown.waiting, shown.running_batches) != (runs, waiting, batches):
            return  # the list was reloaded in the meantime
        if now != (runs, waiting) or progress.running != batches:
            self._reload()
        elif shown.show_progress(progress.evaluations, progress.trainings):
            self._progressed()

    @property
    def _list(self) -> SessionList:
        return self._screen.query_one(SessionList)
