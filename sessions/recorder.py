"""Stores a run's events before anybody sees them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

from ..core.events import AnyEvent
from .store import Store

BATCH = 256
"""At most so many events are written in one transaction."""


async def record(
    events: AsyncIterator[AnyEvent], store: Store, run_id: str
) -> AsyncIterator[AnyEvent]:
    """Yield the events, in order, each once it is in the database.

    Whatever has already happened is written in one transaction; the next batch gathers meanwhile.
    Reading is not ahead of the consumer by more than one batch, so that a flood is held back.

    Raises:
        StoreError: they cannot be stored; nothing that was not stored has been yielded.
    """
    queue: asyncio.Queue[AnyEvent | None] = asyncio.Queue(BATCH)
    reader = asyncio.create_task(_read(events, queue))
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1, thread_name_prefix="sessions") as writer:
        try:
            while batch := await _next_batch(queue):
                await loop.run_in_executor(writer, store.append, run_id, batch)
                for event in batch:
                    yield event
            await reader
        finally:
            reader.cancel()
            await asyncio.wait([reader])


async def _read(events: AsyncIterator[AnyEvent], queue: asyncio.Queue[AnyEvent | None]) -> None:
    try:
        async for event in events:
            await queue.put(event)
    except asyncio.CancelledError:
        close = getattr(events, "aclose", None)
        if close is not None:  # end the run in order before the reader goes
            await close()
        raise
    except BaseException:
        await queue.put(None)
        raise
    await queue.put(None)


async def _next_batch(queue: asyncio.Queue[AnyEvent | None]) -> list[AnyEvent]:
    """What is there, waiting for the first; empty at the end."""
    first = await queue.get()
    if first is None:
        return []
    batch = [first]
    while len(batch) < BATCH and not queue.empty():
        event = queue.get_nowait()
        if event is None:
            queue.put_nowait(None)
            break
        batch.append(event)
    return batch
