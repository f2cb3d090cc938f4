"""Stores a run's events before they are shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from concurrent.futures import ThreadPoolExecutor

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.events.durability import Durability
from sandbox_tui.core.events.types import AnyEvent
from sandbox_tui.sessions.recording.full_text_indexer import FullTextIndexer
from sandbox_tui.sessions.recording.keyframe_writer import KeyframeWriter
from sandbox_tui.sessions.store.store import Store

MAX_BATCH = 256
"""Maximum number of events per transaction, and in the queue for the next one."""


async def record(
    events: AsyncIterator[AnyEvent], store: Store, run_id: str, durability: Durability | None = None
) -> AsyncGenerator[AnyEvent]:
    """Yield the events, in order, each one after it has been stored in the database.

    All events that have already happened are written in one transaction, while the next batch is
    collected. At most one batch is read ahead of the consumer, so that a flood of output is slowed
    down at its source. If the consumer leaves, the run ends; events already read from it are still
    stored.

    While the disk is full, or another program keeps the database locked, this waits, and so does
    the run. A run whose first events cannot be stored does not begin.

    Args:
        events: of the run.
        store: the database.
        run_id: the session's id.
        durability: the run's, which is notified of how far events are stored.

    Raises:
        StoreError: the events cannot be stored; only stored events have been yielded.
    """
    inbox, durability = _Inbox(), durability or Durability()
    durability.begin()
    reader = asyncio.create_task(inbox.fill(events))
    writer = _Writer(store, run_id, durability)
    keyframes, texts = KeyframeWriter(store, run_id), FullTextIndexer(store)
    try:
        while batch := await inbox.take():
            await writer.write(batch)
            durability.mark_durable(batch[-1].seq)
            keyframes.on_stored(batch)
            texts.on_stored(batch)
            for event in batch:
                yield event
        await reader
    finally:
        reader.cancel()
        durability.end()
        keyframes.stop()
        texts.stop()
        await asyncio.gather(reader, return_exceptions=True)
        await writer.close(inbox.waiting)
        await keyframes.close()
        await texts.close()


class _Inbox:
    """Queue of events read from the run and not yet written."""

    def __init__(self) -> None:
        self.waiting: list[AnyEvent] = []
        self._ended = False
        self._arrived = asyncio.Event()
        self._room = asyncio.Event()

    async def fill(self, events: AsyncIterator[AnyEvent]) -> None:
        """Read events until they end; waits while `MAX_BATCH` of them are queued."""
        try:
            async for event in events:
                self.waiting.append(event)
                self._arrived.set()
                if len(self.waiting) >= MAX_BATCH:
                    self._room.clear()
                    await self._room.wait()
        except asyncio.CancelledError:
            if isinstance(events, AsyncGenerator):  # end the run in order before its reader stops
                await events.aclose()
            raise
        finally:
            self._ended = True
            self._arrived.set()

    async def take(self) -> list[AnyEvent]:
        """Return all queued events, waiting for the first; empty at the end."""
        while not self.waiting and not self._ended:
            self._arrived.clear()
            await self._arrived.wait()
        batch, self.waiting = self.waiting, []
        self._room.set()
        return batch


class _Writer:
    """Appends to the store on a separate thread, so that the event loop never waits for a disk."""

    def __init__(self, store: Store, run_id: str, durability: Durability) -> None:
        self._store = store
        self._run_id = run_id
        self._durability = durability
        self._late: list[AnyEvent] = []
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sessions")
        self._writing: asyncio.Future[None] | None = None

    async def write(self, batch: list[AnyEvent]) -> None:
        """Append a batch, however long it takes; continues even if the caller is cancelled.

        Raises:
            StoreError: the events can never be stored, or they are the run's first and cannot be
                stored now.
        """
        if batch[0].seq == 1:
            await self._append(batch)
            return
        self._late = batch
        await self._durability.retry_until_durable(lambda: self._append(batch))
        self._late = []

    async def close(self, rest: list[AnyEvent]) -> None:
        """Write the remaining events and finish; after a failure write nothing, so that the record
        has no gaps."""
        try:
            if self._writing is not None:
                await asyncio.wait([self._writing])
                error = self._writing.exception()
                if error is None:
                    self._late = []
                elif not (self._late and isinstance(error, StoreError) and error.is_transient):
                    return
            if self._late or rest:
                await self._append([*self._late, *rest])
        finally:
            self._thread.shutdown(wait=False)

    async def _append(self, batch: list[AnyEvent]) -> None:
        loop = asyncio.get_running_loop()
        self._writing = loop.run_in_executor(self._thread, self._store.append, self._run_id, batch)
        await asyncio.shield(self._writing)
