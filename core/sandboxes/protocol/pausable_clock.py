"""A clock for time limits inside a sandbox, which pauses while the sandbox is frozen."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Callable


class PausableClock:
    """A monotonic clock that can be paused.

    Args:
        clock: the underlying clock, monotonic, in seconds.

    Attributes:
        briefly: the pause is short enough to wait for.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: float | None = None
        self._paused_seconds = 0.0
        self._running = asyncio.Event()
        self._running.set()
        self.briefly = False

    @property
    def frozen(self) -> bool:
        """Whether the clock is paused."""
        return self._since is not None

    def now(self) -> float:
        """Return the seconds on this clock, excluding those in which the sandbox was frozen."""
        return (self._clock() if self._since is None else self._since) - self._paused_seconds

    def pause(self, *, briefly: bool = False) -> None:
        """Stop counting seconds."""
        self.briefly = briefly
        if self._since is None:
            self._since = self._clock()
            self._running.clear()

    def resume(self) -> None:
        """Count seconds again."""
        if self._since is not None:
            self._paused_seconds += self._clock() - self._since
            self._since = None
            self._running.set()

    async def wait_thawed(self) -> None:
        """Wait while the clock is paused."""
        await self._running.wait()

    async def wait_until(self, moment: float, event: asyncio.Event) -> None:
        """Wait for `event`, or until `now()` reaches `moment`, whichever is first."""
        while not event.is_set():
            if self.frozen:
                await _first_of(event, self._running)
                continue
            left = None if moment == math.inf else moment - self.now()
            if left is not None and left <= 0:
                return
            with contextlib.suppress(TimeoutError):  # the clock may have been paused meanwhile
                async with asyncio.timeout(left):
                    await event.wait()


async def _first_of(*events: asyncio.Event) -> None:
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
