"""Reads a saved run back: the very events that were seen live, at once or at their own pace."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator
from itertools import islice

from ..core.events import AnyEvent
from .store import Store

LONGEST_IDLE = 1.5
"""Seconds in which nothing happens are played as at most so many."""

AHEAD = 200
"""Events read from the file at a time."""


def replay(store: Store, run_id: str) -> Iterator[AnyEvent]:
    """The events of a session, in order.

    Raises:
        StoreError: there is no such session, or the file cannot be read.
    """
    return store.events(store.run(run_id).id)


class Player:
    """A session played at the pace it had, without ever holding all of it in memory.

    Args:
        store: where it is kept.
        run_id: its id, or a part of it that is unique.
        speed: recorded seconds per second, above 0; may be changed while it plays.
        longest_idle: recorded seconds that a pause between two events may take.

    Attributes:
        position: `seq` of the last event played, 0 before the first.

    Raises:
        StoreError: there is no such session, or the file cannot be read.
    """

    def __init__(
        self,
        store: Store,
        run_id: str,
        *,
        speed: float = 1.0,
        longest_idle: float = LONGEST_IDLE,
    ) -> None:
        self.speed = speed
        self.longest_idle = longest_idle
        self.position = 0
        self._store = store
        self._run_id = store.run(run_id).id
        self._sought = asyncio.Event()

    def seek(self, seq: int) -> None:
        """Go on after the event with this number; the pause that is going on ends."""
        self.position = max(seq, 0)
        self._sought.set()

    async def play(self) -> AsyncGenerator[AnyEvent]:
        """The events after `position`, each at its time; ends after the last one.

        Raises:
            StoreError: the file cannot be read.
        """
        last: float | None = None
        while True:
            self._sought.clear()
            page = await asyncio.to_thread(self._page)
            for event in page:
                if last is not None and not self._sought.is_set():
                    await self._pause(event.t - last)
                if self._sought.is_set():
                    break
                last = event.t
                self.position = event.seq
                yield event
            if self._sought.is_set():
                last = None
            elif not page:
                return

    def _page(self) -> list[AnyEvent]:
        return list(islice(self._store.events(self._run_id, after=self.position), AHEAD))

    async def _pause(self, recorded: float) -> None:
        """Wait as long as a recorded pause takes, or until `seek`."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(recorded, self.longest_idle) / self.speed):
                await self._sought.wait()
