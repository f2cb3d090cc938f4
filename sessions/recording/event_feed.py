"""Delivers a run's events to any number of watchers: from the first one on, then as they arrive.

Everything delivered is already stored, so a watcher reads what it missed from the database, a page
at a time. The program that records a run also keeps the latest events in memory and delivers these
directly; a program that watches from elsewhere learns only how far the record has come.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Sequence

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.event_pages import stored_events

MAX_LAG = 256
"""Number of events that a watcher which has caught up may lag before `publish` waits for it."""


class _Watcher:
    """The position of one watcher.

    Attributes:
        seq: number of the last event delivered to it.
        caught_up: whether it has reached the end of the record once; only then may it delay the
            run.
    """

    def __init__(self) -> None:
        self.seq = 0
        self.caught_up = False


class EventFeed:
    """The stored events of one run, and notification of new ones.

    Args:
        store: the database.
        run_id: the session's id.
    """

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self._seq = 0
        self._ended = False
        self._recent: deque[e.AnyEvent] = deque(maxlen=MAX_LAG)
        self._watchers: list[_Watcher] = []
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def watchers(self) -> int:
        """The number of watchers."""
        return len(self._watchers)

    def begin(self) -> None:
        """Continue after `end`."""
        self._ended = False

    async def publish(self, event: e.AnyEvent) -> None:
        """Deliver an event that has been stored.

        Waits while a watcher is more than `MAX_LAG` events behind, so that a flood of output is
        slowed down at its source instead of filling the memory or the disk.
        """
        self.advance(event.seq - 1)  # events copied from another run are stored, not published
        while any(one.caught_up and event.seq - one.seq > MAX_LAG for one in self._watchers):
            await self._changed()
        if self._recent and event.seq != self._recent[-1].seq + 1:
            self._recent.clear()
        self._recent.append(event)
        self.advance(event.seq)

    def advance(self, seq: int) -> None:
        """Note that the record has reached this event."""
        self._seq = max(self._seq, seq)
        self._wake()

    def end(self) -> None:
        """Note that no more events follow; watchers end after they have seen all of them."""
        self._ended = True
        self._wake()

    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        """Yield all events from the first on.

        Raises:
            StoreError: the database cannot be read.
            EventDecodeError: an event was written by a newer version.
        """
        watcher = _Watcher()
        self._watchers.append(watcher)
        try:
            while True:
                ended = self._ended
                if ended or watcher.seq < self._seq:
                    async for event in self._after(watcher.seq):
                        yield event
                        watcher.seq = event.seq
                        self._wake()
                if ended:
                    return
                if watcher.seq >= self._seq:
                    watcher.caught_up = True
                    if not self._ended:
                        await self._changed()
        finally:
            self._watchers.remove(watcher)
            self._wake()

    def _after(self, seq: int) -> AsyncIterable[e.AnyEvent]:
        behind = self._recent[-1].seq - seq if self._recent else 0
        if 0 < behind <= len(self._recent):
            return _each([self._recent[index] for index in range(-behind, 0)])
        return stored_events(self._store, self._run_id, seq, None if self._ended else self._seq)

    async def _changed(self) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await future

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)


async def _each(events: Sequence[e.AnyEvent]) -> AsyncGenerator[e.AnyEvent]:
    for event in events:
        yield event
