"""A clock that stands still while the sandbox is frozen, for time limits inside it."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Callable


class FrozenTime:
    """Seconds that count.

    Args:
        clock: seconds, monotonic.

    Attributes:
        frozen: whether the clock stands still.
        briefly: whether that is for a moment only, which whoever wants something may wait for.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: float | None = None
        self._lost = 0.0
        self._going = asyncio.Event()
        self._going.set()
        self.briefly = False

    @property
    def frozen(self) -> bool:
        """See the class."""
        return self._since is not None

    def now(self) -> float:
        """Seconds of a monotonic clock, without those in which the sandbox was frozen."""
        return (self._clock() if self._since is None else self._since) - self._lost

    def stop(self, *, briefly: bool = False) -> None:
        """From now on nothing counts."""
        self.briefly = briefly
        if self._since is None:
            self._since = self._clock()
            self._going.clear()

    def go_on(self) -> None:
        """Time counts again."""
        if self._since is not None:
            self._lost += self._clock() - self._since
            self._since = None
            self._going.set()

    async def thawed(self) -> None:
        """Wait while the clock stands still."""
        await self._going.wait()

    async def wait_until(self, moment: float, event: asyncio.Event) -> None:
        """Wait for `event`, or until `now()` is `moment`, whichever is first."""
        while not event.is_set():
            if self.frozen:
                await _first_of(event, self._going)
                continue
            left = None if moment == math.inf else moment - self.now()
            if left is not None and left <= 0:
                return
            with contextlib.suppress(TimeoutError):  # it may have stood still meanwhile
                async with asyncio.timeout(left):
                    await event.wait()


async def _first_of(*events: asyncio.Event) -> None:
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
