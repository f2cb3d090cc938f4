"""The journal of a run: numbers and times its events, and passes them to one reader in order.

Bursts of terminal output and of model fragments are joined into one event (at most one per terminal
in `JOIN_SECONDS`, of at most `JOIN_BYTES`), so that a flood costs the reader only a few events per
second. Any other event flushes joined data first, which preserves the order.

A journal that is `held` buffers events until `begin` has written the run's first ones, and drops
everything after the event passed to `end`: a stream has one beginning and one end.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeVar

import msgspec

from sandbox_tui.core.events.durability import Durability
from sandbox_tui.core.events.storable_numbers import unreadable
from sandbox_tui.core.events.types import AnyEvent, Event, ModelDelta, TerminalOutput

JOIN_SECONDS = 0.03
JOIN_BYTES = 64 * 1024
MAX_PENDING_BYTES = 1 << 20
"""Maximum bytes of terminal output waiting for the reader before writers must wait."""

MAX_PENDING_EVENTS = 1024
"""Maximum number of events waiting for the reader before writers must wait."""


_E = TypeVar("_E", bound=Event)


class Journal:
    """The ordered stream of one run's events, with many writers and one reader.

    Args:
        clock: seconds, monotonic.
        first_seq: number of the first event (a resumed run continues counting).
        offset: seconds added to every `t` (also for resumed runs).
        held: whether events are buffered until `begin`.

    Attributes:
        began: when the run started, on `clock`.
        observers: called with each event as it is written.
        durability: how far the events are stored.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        first_seq: int = 1,
        offset: float = 0.0,
        held: bool = False,
    ) -> None:
        self._clock = clock
        self.began = clock() - offset
        self._next = first_seq
        self._ready: deque[AnyEvent] = deque()
        self._ready_bytes = 0
        self._joined: dict[str, bytearray] = {}
        self._delta: ModelDelta | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._last_flush = -1.0
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._held: list[AnyEvent] | None = [] if held else None
        self._ended = False
        self._closed = False
        self.observers: list[Callable[[AnyEvent], None]] = []
        self.durability = Durability()

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self._clock() - self.began

    def begin(self, events: Sequence[AnyEvent]) -> None:
        """Write a run's first events, then the buffered ones."""
        held, self._held = self._held or [], None
        for event in [*events, *held]:
            self.post(event)

    def end(self, event: AnyEvent) -> None:
        """Write a run's last event; later ones are dropped."""
        self.post(event)
        self._ended = True

    def post(self, event: AnyEvent) -> AnyEvent:
        """Write an event; returns it with number and time, or unchanged while held."""
        self._flush_joined()
        return self._append(event)

    def post_delta(self, delta: ModelDelta) -> None:
        """Write a fragment of a reply, joined with adjacent ones of the same kind."""
        held = self._delta
        if held is not None and self._continues(held, delta):
            self._delta = msgspec.structs.replace(held, text=held.text + delta.text)
        else:
            self._flush_joined()
            self._delta = delta
        self._arm()

    async def output(self, terminal: str, data: bytes) -> None:
        """Write terminal output; waits while the reader is too far behind (`MAX_PENDING_BYTES`)."""
        if not data:
            return
        if self._delta is not None:
            self._flush_joined()
        held = self._joined.setdefault(terminal, bytearray())
        held += data
        if len(held) >= JOIN_BYTES:
            self._flush_joined()
        else:
            self._arm()
        await self._room.wait()

    async def wait_for_room(self) -> None:
        """Wait while the reader is far behind."""
        await self._room.wait()

    async def wait_durable(self) -> None:
        """Wait until everything written so far is stored, if it is stored at all."""
        self._flush_joined()
        await self.durability.wait_for(self._next - 1)

    def close(self) -> None:
        """Close the stream: the reader ends after the pending events."""
        self._flush_joined()
        self._closed = True
        self._room.set()
        self._wake.set()

    async def read(self) -> AsyncIterator[AnyEvent]:
        """Yield the events, in order, until `close`. After the reader has stopped, no writer
        waits."""
        try:
            while True:
                while self._ready:
                    yield self._taken()
                if self._closed:
                    return
                self._wake.clear()
                await self._wake.wait()
        finally:
            self._closed = True
            self._room.set()

    def _taken(self) -> AnyEvent:
        event = self._ready.popleft()
        if isinstance(event, TerminalOutput):
            self._ready_bytes -= len(event.data)
        if not self._is_full():
            self._room.set()
        return event

    @staticmethod
    def _continues(held: ModelDelta, delta: ModelDelta) -> bool:
        same = (held.step, held.channel, held.index) == (delta.step, delta.channel, delta.index)
        return same and delta.name is None

    def _arm(self) -> None:
        """Flush joined data after `JOIN_SECONDS`, or at once if nothing was flushed recently."""
        if self._timer is not None:
            return
        quiet = self._clock() - self._last_flush
        if quiet >= JOIN_SECONDS:
            self._flush_joined()
            return
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(JOIN_SECONDS - quiet, self._flush_joined)

    def _flush_joined(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._last_flush = self._clock()
        if self._delta is not None:
            delta, self._delta = self._delta, None
            self._append(delta)
        joined, self._joined = self._joined, {}
        for terminal, data in joined.items():
            for start in range(0, len(data), JOIN_BYTES):
                piece = bytes(data[start : start + JOIN_BYTES])
                self._append(TerminalOutput(terminal=terminal, data=piece))

    def _is_full(self) -> bool:
        return self._ready_bytes > MAX_PENDING_BYTES or len(self._ready) > MAX_PENDING_EVENTS

    def _append(self, event: AnyEvent) -> AnyEvent:
        if words := unreadable(event):
            raise ValueError(f"{words}: it could not be read back")
        if self._held is not None:
            self._held.append(event)
        if self._held is not None or self._ended:
            return event
        numbered = _number(event, self._next, self.elapsed)
        self._next += 1
        self._ready.append(numbered)
        if isinstance(numbered, TerminalOutput):
            self._ready_bytes += len(numbered.data)
        if self._is_full() and not self._closed:
            self._room.clear()
        for observe in self.observers:
            observe(numbered)
        self._wake.set()
        return numbered


def _number(event: _E, seq: int, t: float) -> _E:
    return msgspec.structs.replace(event, seq=seq, t=round(t, 4))
