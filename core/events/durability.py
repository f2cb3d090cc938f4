"""Tracks how far a run's events are stored, so that nothing happens that is not recorded.

The recorder (`sessions.recording`) reports its progress. Before each request and each call, the run
waits until every event so far is stored: a full disk or a locked database stalls the run but loses
nothing. A run that is not recorded never waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sandbox_tui.core.base.errors import StoreError

T = TypeVar("T")

RETRY_SECONDS = 0.5
"""Seconds between attempts to store something."""


class Durability:
    """How far a run's events are stored.

    Attributes:
        stall_reason: why nothing can be stored at present, as a sentence; empty if it can.
        observers: called when `stall_reason` changes.
    """

    def __init__(self) -> None:
        self.stall_reason = ""
        self.observers: list[Callable[[], None]] = []
        self._upto = math.inf
        self._moved = asyncio.Event()
        self._given_up = asyncio.Event()
        self._stuck = 0

    def begin(self) -> None:
        """Start tracking: events are stored from now on; none has been stored yet."""
        self._upto = 0

    def mark_durable(self, seq: int) -> None:
        """Report that all events up to this one are stored."""
        self._upto = seq
        self._moved.set()

    def end(self) -> None:
        """Stop tracking: events are no longer stored, and nothing waits for them to be."""
        self._upto = math.inf
        self._moved.set()

    def give_up(self) -> None:
        """Stop retrying: from now on, a failure to store is an error."""
        self._given_up.set()

    async def wait_for(self, seq: int) -> None:
        """Wait until the event with this number is stored."""
        while self._upto < seq:
            self._moved.clear()
            await self._moved.wait()

    async def retry_until_durable(self, write: Callable[[], Awaitable[T]]) -> T:
        """Call `write` until it succeeds, retrying transient errors; returns its result.

        Raises:
            StoreError: a permanent error, or any error after `give_up`.
        """
        waited = False
        try:
            while True:
                try:
                    return await write()
                except StoreError as error:
                    if not error.is_transient or self._given_up.is_set():
                        raise
                    self._stuck += not waited
                    waited = True
                    self._set_stall_reason(str(error))
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._given_up.wait(), RETRY_SECONDS)
        finally:
            if waited:
                self._stuck -= 1
                if not self._stuck:
                    self._set_stall_reason("")

    def _set_stall_reason(self, stall_reason: str) -> None:
        if stall_reason == self.stall_reason:
            return
        self.stall_reason = stall_reason
        for observe in self.observers:
            observe()
