"""Replays a recorded run: the same events that were seen live, at once or at their own pace."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Iterator
from itertools import islice

from sandbox_tui.core.events.types import AnyEvent
from sandbox_tui.sessions.store.store import Store

MAX_IDLE_SECONDS = 1.5
"""Pauses between two events are shortened to this."""

PAGE_EVENTS = 200
"""Number of events read at a time."""


def replay(store: Store, run_id: str) -> Iterator[AnyEvent]:
    """Return the events of a session, in order.

    Raises:
        StoreError: there is no such session, or the database cannot be read.
    """
    return store.events(store.run(run_id).id)


def position_at(store: Store, run_id: str, t: float) -> int:
    """Return the number of the last event at or before `t` seconds; 0 if there is none.

    Raises:
        StoreError: the database cannot be read.
    """
    low, high = 0, store.run(run_id).last_seq
    while low < high:
        middle = (low + high + 1) // 2
        at = store.time_of(run_id, middle)
        if at is not None and at <= t:
            low = middle
        else:
            high = middle - 1
    return low


class Player:
    """Plays a session at its recorded pace, without holding all of it in memory.

    Args:
        store: the database.
        run_id: its id, or a unique part of it.
        speed: recorded seconds per second, above 0.
        max_idle: maximum length of a pause between two events, in recorded seconds.

    Attributes:
        position: `seq` of the last event played; 0 before the first.

    Raises:
        StoreError: there is no such session, or the database cannot be read.
    """

    def __init__(
        self,
        store: Store,
        run_id: str,
        *,
        speed: float = 1.0,
        max_idle: float = MAX_IDLE_SECONDS,
    ) -> None:
        self.max_idle = max_idle
        self.position = 0
        self._store = store
        self._run_id = store.run(run_id).id
        self._speed = speed
        self._sought = False
        self._held = False
        self._woken = asyncio.Event()
        self._idle_since: float | None = None
        self._idle_done = 0.0

    @property
    def speed(self) -> float:
        """Recorded seconds per second; a change takes effect at once, even during a pause."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._idle_done = self.idle
        if self._idle_since is not None:
            self._idle_since = time.monotonic()
        self._speed = speed
        self._woken.set()

    @property
    def idle(self) -> float:
        """Recorded seconds since the last event played."""
        if self._idle_since is None:
            return self._idle_done
        return self._idle_done + (time.monotonic() - self._idle_since) * self._speed

    def seek(self, seq: int) -> None:
        """Continue after the event with this number; ends a pause in progress."""
        self.position = max(seq, 0)
        self._sought = True
        self._woken.set()

    def hold(self) -> None:
        """Make `play` end before the next event."""
        self._held = True
        self._woken.set()

    async def play(self) -> AsyncGenerator[AnyEvent]:
        """Yield the events after `position`, each at its time; ends after the last one, or on
        `hold`.

        Raises:
            StoreError: the database cannot be read.
        """
        self._held = False
        last: float | None = None
        while not self._held:
            self._sought = False
            page = await asyncio.to_thread(self._page)
            for event in page:
                if last is not None and not self._interrupted:
                    await self._pause(event.t - last)
                if self._interrupted:
                    break
                last = event.t
                self.position = event.seq
                yield event
            if self._sought:
                last = None
            elif not page:
                return

    @property
    def _interrupted(self) -> bool:
        return self._sought or self._held

    def _page(self) -> list[AnyEvent]:
        return list(islice(self._store.events(self._run_id, after=self.position), PAGE_EVENTS))

    async def _pause(self, recorded: float) -> None:
        """Wait for the length of the recorded pause, or until interrupted."""
        self._idle_since, self._idle_done = time.monotonic(), 0.0
        while not self._interrupted:
            left = min(recorded, self.max_idle) - self.idle
            if left <= 0:
                break
            self._woken.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left / self._speed):
                    await self._woken.wait()
        self._idle_since, self._idle_done = None, 0.0
