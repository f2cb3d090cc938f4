"""Where a run writes its events: numbers and times them, and hands them on in order.

Bursts of terminal output and of model fragments are joined before they become events (at most one
event per terminal in `JOIN_SECONDS`, at most `JOIN_BYTES` each), so that a flood costs a reader a
few events a second. Anything else that happens first sends out what was being joined: order holds.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

import msgspec

from .events import AnyEvent, Event, ModelDelta, TerminalOutput
from .keeping import Keeping

JOIN_SECONDS = 0.03
JOIN_BYTES = 64 * 1024
HIGH_WATER = 1 << 20
"""Bytes of terminal output that may wait for the reader before a writer is held back."""


_E = TypeVar("_E", bound=Event)


class Journal:
    """The ordered stream of one run's events; many writers, one reader.

    Args:
        clock: seconds, monotonic.
        first_seq: number of the first event (a resumed run goes on counting).
        offset: seconds added to every `t` (likewise).

    Attributes:
        observers: called with each event as it is written.
        keeping: how far the events are kept by whoever keeps them.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        first_seq: int = 1,
        offset: float = 0.0,
    ) -> None:
        self._clock = clock
        self._begin = clock() - offset
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
        self._closed = False
        self.observers: list[Callable[[AnyEvent], None]] = []
        self.keeping = Keeping()

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self._clock() - self._begin

    def post(self, event: AnyEvent) -> AnyEvent:
        """Write an event; returns it as numbered and timed."""
        self._flush_joined()
        return self._append(event)

    def post_delta(self, delta: ModelDelta) -> None:
        """Write a fragment of a reply, joined with its neighbours of the same kind."""
        held = self._delta
        if held is not None and self._continues(held, delta):
            self._delta = msgspec.structs.replace(held, text=held.text + delta.text)
        else:
            self._flush_joined()
            self._delta = delta
        self._arm()

    async def output(self, terminal: str, data: bytes) -> None:
        """Write terminal output; waits while the reader is more than `HIGH_WATER` behind."""
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

    async def kept(self) -> None:
        """Wait until everything that was written so far is kept, where somebody keeps it."""
        self._flush_joined()
        await self.keeping.wait_for(self._next - 1)

    def close(self) -> None:
        """Say that nothing more will be written; the reader ends after what is left."""
        self._flush_joined()
        self._closed = True
        self._room.set()
        self._wake.set()

    async def read(self) -> AsyncIterator[AnyEvent]:
        """The events, in order, until `close`."""
        while True:
            while self._ready:
                event = self._ready.popleft()
                if isinstance(event, TerminalOutput):
                    self._ready_bytes -= len(event.data)
                    if self._ready_bytes <= HIGH_WATER:
                        self._room.set()
                yield event
            if self._closed:
                return
            self._wake.clear()
            await self._wake.wait()

    @staticmethod
    def _continues(held: ModelDelta, delta: ModelDelta) -> bool:
        same = (held.step, held.channel, held.index) == (delta.step, delta.channel, delta.index)
        return same and delta.name is None

    def _arm(self) -> None:
        """Send what is being joined after `JOIN_SECONDS`, or at once after a quiet time."""
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

    def _append(self, event: AnyEvent) -> AnyEvent:
        numbered = _number(event, self._next, self.elapsed)
        self._next += 1
        self._ready.append(numbered)
        if isinstance(numbered, TerminalOutput):
            self._ready_bytes += len(numbered.data)
            if self._ready_bytes > HIGH_WATER:
                self._room.clear()
        for observe in self.observers:
            observe(numbered)
        self._wake.set()
        return numbered


def _number(event: _E, seq: int, t: float) -> _E:
    return msgspec.structs.replace(event, seq=seq, t=round(t, 4))
