"""Indexes the texts of a recording soon after they are stored."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.store import full_text_index
from sandbox_tui.sessions.store.store import Store

MAX_LATE_SECONDS = 1.0
"""Maximum delay until a text is indexed: other programs search the index without updating it."""


class FullTextIndexer:
    """Updates the full-text index with what one recording stores, one pass at a time and at most
    once per `MAX_LATE_SECONDS`. Errors are ignored: the next search or the next program catches up.

    Args:
        store: the database of the recording.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._is_behind = False
        self._timer: asyncio.TimerHandle | None = None
        self._pass: asyncio.Future[None] | None = None
        self._is_overdue = False
        """Whether the next pass was due while another one ran, and starts after it."""

    def on_stored(self, batch: Sequence[e.AnyEvent]) -> None:
        """Schedule a pass if the stored batch has texts to index."""
        self._is_behind = self._is_behind or full_text_index.rows_added(batch) > 0
        if self._is_behind and self._timer is None and not self._is_overdue:
            self._timer = asyncio.get_running_loop().call_later(MAX_LATE_SECONDS, self._on_due)

    def stop(self) -> None:
        """Schedule no more passes; `close` still indexes the rest."""
        self._is_overdue = False
        if self._timer is not None:
            self._timer.cancel()

    async def close(self) -> None:
        """Stop, and index the rest; the store may be closed afterwards."""
        self.stop()
        if self._pass is not None:
            await asyncio.wait([self._pass])
        if self._is_behind:
            await asyncio.to_thread(self._index)

    def _on_due(self) -> None:
        self._timer = None
        if self._pass is None:
            self._start()
        else:
            self._is_overdue = True

    def _start(self) -> None:
        self._is_behind = self._is_overdue = False
        self._pass = asyncio.get_running_loop().run_in_executor(None, self._index)
        self._pass.add_done_callback(self._on_done)

    def _on_done(self, _: asyncio.Future[None]) -> None:
        self._pass = None
        if self._is_overdue:
            self._start()

    def _index(self) -> None:
        with contextlib.suppress(StoreError):
            self._store.index_texts()
