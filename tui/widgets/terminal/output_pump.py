"""Processes output in short time slices, behind a bounded queue."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

SLICE_SECONDS = 0.0015
"""How long a slice of work runs without a pause."""

YIELD_SECONDS = 0.001
"""Pause between slices: Textual needs a few turns of the event loop to handle a key."""

HIGH_WATER_BYTES = 1 << 20
"""Number of queued bytes above which `drain` waits."""

MIN_PIECE_BYTES, MAX_PIECE_BYTES = 1024, 64 * 1024
"""Limits of a piece, which is sized to take half a slice at the speed of the previous one."""


async def _rest() -> None:
    """Pause; pause again if a frame was drawn meanwhile, because a key may have arrived."""
    start = time.perf_counter()
    await asyncio.sleep(YIELD_SECONDS)
    if time.perf_counter() - start > 2 * YIELD_SECONDS:
        await asyncio.sleep(YIELD_SECONDS)


class Pump:
    """Passes queued bytes to `take` and calls `after` after each slice."""

    def __init__(self, take: Callable[[bytes], None], after: Callable[[], None]) -> None:
        self._take = take
        self._after = after
        self._queue: deque[bytes] = deque()
        self._size = 0
        self._piece = MAX_PIECE_BYTES // 4
        self._room = asyncio.Event()
        self._room.set()
        self._task: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """Number of queued bytes."""
        return self._size

    def put(self, data: bytes) -> None:
        """Queue bytes."""
        if not data:
            return
        self._queue.append(data)
        self._size += len(data)
        if self._size > HIGH_WATER_BYTES:
            self._room.clear()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def drain(self) -> None:
        """Wait while more than `HIGH_WATER_BYTES` bytes are queued."""
        await self._room.wait()

    def clear(self) -> None:
        """Drop the queued bytes."""
        self._queue.clear()
        self._size = 0
        self._room.set()

    def stop(self) -> None:
        """Stop, and release callers that wait in `drain`."""
        self.clear()
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        try:
            while self._queue:
                until = time.perf_counter() + SLICE_SECONDS
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
        seconds = max(1e-6, time.perf_counter() - start)
        fitting = int(len(data) / seconds * SLICE_SECONDS / 2)
        self._piece = max(MIN_PIECE_BYTES, min(MAX_PIECE_BYTES, fitting, 2 * self._piece))

    def _next(self) -> bytes:
        """Return the next piece, joined from several chunks or cut from one."""
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
        if self._size <= HIGH_WATER_BYTES:
            self._room.set()
        return joined
