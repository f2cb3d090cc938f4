"""Stores a run's events before they are shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from concurrent.futures import ThreadPoolExecutor

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.events.durability import Durability
from sandbox_tui.core.events.types import AnyEvent
from sandbox_tui.sessions.recording.keyframe_writer import KeyframeWriter
from sandbox_tui.sessions.store.store import Store

MAX_BATCH = 256
"""Events written in one transaction, and waiting for the next one."""


async def record(
    events: AsyncIterator[AnyEvent], store: Store, run_id: str, durability: Durability | None = None
) -> AsyncGenerator[AnyEvent]:
    """Yield the events, in order, each once it is in the database.

    Whatever has already happened is written in one transaction; the next batch gathers meanwhile.
    Reading is not ahead of the consumer by more than one batch, so that a flood is held back. A
    consumer who leaves ends the run; what was already taken from it is stored all the same.

    While a disk is full, or another program does not let go of the database, it waits, and the run
    with it. A run whose very beginning cannot be stored is not begun.

    Args:
        events: of the run.
        store: where they go.
        run_id: the session's id.
        durability: the run's own, which is told how far this has come.

    Raises:
        StoreError: they cannot be stored; nothing that was not stored has been yielded.
    """
    inbox, durability = _Inbox(), durability or Durability()
    durability.begin()
    reader = asyncio.create_task(inbox.fill(events))
    writer, keyframes = _Writer(store, run_id, durability), KeyframeWriter(store, run_id)
    try:
        while batch := await inbox.take():
            await writer.write(batch)
            durability.mark_durable(batch[-1].seq)
            keyframes.on_stored(batch)
            for event in batch:
                yield event
        await reader
    finally:
        reader.cancel()
        durability.end()
        keyframes.stop()
        await asyncio.gather(reader, return_exceptions=True)
        await writer.close(inbox.waiting)
        await keyframes.close()


class _Inbox:
    """Events taken from the run and not yet written."""

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
            if isinstance(events, AsyncGenerator):  # end the run in order before the reader goes
                await events.aclose()
            raise
        finally:
            self._ended = True
            self._arrived.set()

    async def take(self) -> list[AnyEvent]:
        """All queued events, waiting for the first; empty at the end."""
        while not self.waiting and not self._ended:
            self._arrived.clear()
            await self._arrived.wait()
        batch, self.waiting = self.waiting, []
        self._room.set()
        return batch


class _Writer:
    """Appends to the store on one thread of its own, so that the loop never waits for a disk."""

    def __init__(self, store: Store, run_id: str, durability: Durability) -> None:
        self._store = store
        self._run_id = run_id
        self._durability = durability
        self._late: list[AnyEvent] = []
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sessions")
        self._writing: asyncio.Future[None] | None = None

    async def write(self, batch: list[AnyEvent]) -> None:
        """Append, however long it takes; it continues when the caller is cancelled.

        Raises:
            StoreError: they will never be stored, or not even the run's first events can be.
        """
        if batch[0].seq == 1:
            await self._append(batch)
            return
        self._late = batch
        await self._durability.retry_until_durable(lambda: self._append(batch))
        self._late = []

    async def close(self, rest: list[AnyEvent]) -> None:
        """Finish, with what is left; after a failure nothing more, for the record has no holes."""
        try:
            if self._writing is not None:
                await asyncio.wait([self._writing])
                error = self._writing.exception()
                if error is None:
                    self._late = []
                elif not (self._late and isinstance(error, StoreError) and error.passing):
                    return
            if self._late or rest:
                await self._append([*self._late, *rest])
        finally:
            self._thread.shutdown(wait=False)

    async def _append(self, batch: list[AnyEvent]) -> None:
        loop = asyncio.get_running_loop()
        self._writing = loop.run_in_executor(self._thread, self._store.append, self._run_id, batch)
        await asyncio.shield(self._writing)
