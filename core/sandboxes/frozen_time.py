"""A clock that stands still while the sandbox is frozen, for time limits inside it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterable


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

    async def wait_until(self, moment: float, *events: asyncio.Event) -> None:
        """Wait for one of `events`, or until `now()` is `moment`, whichever is first."""
        waits = [asyncio.create_task(event.wait()) for event in events]
        try:
            while not any(event.is_set() for event in events):
                if self.frozen:
                    left, going = None, [asyncio.create_task(self._going.wait())]
                else:
                    left, going = None if moment == math.inf else moment - self.now(), []
                if left is not None and left <= 0:
                    return
                await _first_of([*waits, *going], left)
                for wait in going:
                    wait.cancel()
        finally:
            for wait in waits:
                wait.cancel()


async def _first_of(waits: Iterable[asyncio.Task[bool]], seconds: float | None) -> None:
    await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
