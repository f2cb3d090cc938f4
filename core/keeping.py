"""Whether what happens in a run is being kept, so that nothing is begun that might be forgotten.

Who keeps the events (`sessions.recorder`) says how far it has come. Before each request and each
call the run waits until everything up to there is kept: a disk that is full, or a database that
another program does not let go of, holds the run up and loses nothing. Where nobody keeps anything
nothing is waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable
from typing import TypeVar

from .errors import StoreError

T = TypeVar("T")

AGAIN_AFTER = 0.5
"""Seconds after which something is tried again that could not be kept."""


class Keeping:
    """How far a run's events are kept.

    Attributes:
        trouble: what stands in the way at the moment, as a sentence; empty when nothing does.
        observers: called when `trouble` has changed.
    """

    def __init__(self) -> None:
        self.trouble = ""
        self.observers: list[Callable[[], None]] = []
        self._upto = math.inf
        self._moved = asyncio.Event()
        self._given_up = asyncio.Event()
        self._stuck = 0

    def begin(self) -> None:
        """Somebody keeps the events from now on, and has none yet."""
        self._upto = 0

    def kept(self, seq: int) -> None:
        """All events up to this one are kept."""
        self._upto = seq
        self._moved.set()

    def end(self) -> None:
        """Nobody keeps them any more: whoever waits goes on."""
        self._upto = math.inf
        self._moved.set()

    def give_up(self) -> None:
        """Wait for nothing any more: what cannot be kept at once is an error from now on."""
        self._given_up.set()

    async def wait_for(self, seq: int) -> None:
        """Wait until the event of this number is kept."""
        while self._upto < seq:
            self._moved.clear()
            await self._moved.wait()

    async def insist(self, write: Callable[[], Awaitable[T]]) -> T:
        """What `write` returns, tried again and again while something passing stands in the way.

        Raises:
            StoreError: it will never work, or was given up.
        """
        waited = False
        try:
            while True:
                try:
                    return await write()
                except StoreError as error:
                    if not error.passing or self._given_up.is_set():
                        raise
                    self._stuck += not waited
                    waited = True
                    self._say(str(error))
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._given_up.wait(), AGAIN_AFTER)
        finally:
            if waited:
                self._stuck -= 1
                if not self._stuck:
                    self._say("")

    def _say(self, trouble: str) -> None:
        if trouble == self.trouble:
            return
        self.trouble = trouble
        for observe in self.observers:
            observe()
