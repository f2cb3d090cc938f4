"""The events of a run for any number of watchers, from the first one on and then as they come.

Everything that is watched is stored already, so a watcher reads what it missed from the database, a
page at a time. The program that records a run also keeps its last events in memory and hands these
over directly; one that watches from elsewhere only learns how far the record has come.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Sequence

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.event_pages import stored_events

MAX_LAG = 256
"""Events a watcher that has caught up may be behind before `publish` waits for it."""


class _Watcher:
    """Where one watcher is.

    Attributes:
        seq: number of the last event it has taken.
        caught_up: whether it has reached the end of the record once; only then may it hold the run
            back.
    """

    def __init__(self) -> None:
        self.seq = 0
        self.caught_up = False


class EventFeed:
    """What is stored of one run, and notice of what is stored next.

    Args:
        store: where the run is recorded.
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
        """How many there are."""
        return len(self._watchers)

    def begin(self) -> None:
        """Go on, after `end`."""
        self._ended = False

    async def publish(self, event: e.AnyEvent) -> None:
        """Hand over an event that has been stored.

        Waits while a watcher is more than `MAX_LAG` events behind, so that a flood is held back at
        its source instead of filling the memory or the disk.
        """
        self.advance(event.seq - 1)  # what a run takes over from another is stored, not published
        while any(one.caught_up and event.seq - one.seq > MAX_LAG for one in self._watchers):
            await self._changed()
        if self._recent and event.seq != self._recent[-1].seq + 1:
            self._recent.clear()
        self._recent.append(event)
        self.advance(event.seq)

    def advance(self, seq: int) -> None:
        """The record has come to this event."""
        self._seq = max(self._seq, seq)
        self._wake()

    def end(self) -> None:
        """Nothing more will be stored: watchers end once they have seen all of it."""
        self._ended = True
        self._wake()

    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        """All events from the first on.

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
