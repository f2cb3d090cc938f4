"""Takes output in at the pace of the screen: short slices of work, a bounded queue before them."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

SLICE = 0.0015
"""Seconds of work in a row."""

NAP = 0.001
"""Seconds between slices: Textual needs a few turns of the loop to answer a key."""

HIGH_WATER = 1 << 20
"""Bytes that may wait before `drain` holds up whoever brings more."""

LEAST, MOST = 1024, 64 * 1024
"""Bytes taken in one go: as many as take half a slice, by how fast the last ones were."""


async def _rest() -> None:
    """A nap; another one where a picture was drawn in the first, for a key may have come since."""
    begun = time.perf_counter()
    await asyncio.sleep(NAP)
    if time.perf_counter() - begun > 2 * NAP:
        await asyncio.sleep(NAP)


class Pump:
    """Brings bytes from a queue to `take`, and calls `after` when some have been taken."""

    def __init__(self, take: Callable[[bytes], None], after: Callable[[], None]) -> None:
        self._take = take
        self._after = after
        self._queue: deque[bytes] = deque()
        self._size = 0
        self._piece = MOST // 4
        self._room = asyncio.Event()
        self._room.set()
        self._task: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """Bytes that have not been taken in."""
        return self._size

    def put(self, data: bytes) -> None:
        """Queue bytes."""
        if not data:
            return
        self._queue.append(data)
        self._size += len(data)
        if self._size > HIGH_WATER:
            self._room.clear()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def drain(self) -> None:
        """Wait while more than `HIGH_WATER` bytes are queued."""
        await self._room.wait()

    def clear(self) -> None:
        """Forget what is queued."""
        self._queue.clear()
        self._size = 0
        self._room.set()

    def stop(self) -> None:
        """Take no more in, and let nobody wait."""
        self.clear()
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        try:
            while self._queue:
                until = time.perf_counter() + SLICE
                while self._queue and time.perf_counter() < until:
                    self._take_piece()
                self._after()
                await _rest()
        finally:
            self._room.set()

    def _take_piece(self) -> None:
        data = self._next()
        start = time.perf_counter()
        self._take(data)
        took = max(1e-6, time.perf_counter() - start)
        fitting = int(len(data) / took * SLICE / 2)
        self._piece = max(LEAST, min(MOST, fitting, 2 * self._piece))

    def _next(self) -> bytes:
        """About a piece, however small or large the pieces of the queue are."""
        parts: list[bytes] = []
        room = self._piece
        while self._queue and room > 0:
            data = self._queue.popleft()
            if len(data) > room:
                self._queue.appendleft(data[room:])
                data = data[:room]
            parts.append(data)
            room -= len(data)
        joined = b"".join(parts)
        self._size -= len(joined)
        if self._size <= HIGH_WATER:
            self._room.set()
        return joined
