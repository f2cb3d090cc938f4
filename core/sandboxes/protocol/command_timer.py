"""The timeout of a command: counts its seconds, except frozen and blocked ones."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Generator

from sandbox_tui.core.sandboxes.protocol.pausable_clock import PausableClock

BACKPRESSURE_CHECK_SECONDS = 0.1
"""Seconds between checks of the timeout while the sink blocks the output."""


class CommandTimer:
    """Counts the seconds of one command, starting now.

    Seconds in which the sandbox is frozen do not count (`PausableClock`), nor do those in which the
    reader of its output blocks it.
    """

    def __init__(self, clock: PausableClock) -> None:
        self._clock = clock
        self._started = clock.now()
        self._blocked_seconds = 0.0
        self._blocked_since: float | None = None

    @property
    def elapsed(self) -> float:
        """Seconds since the start, including blocked ones."""
        return self._clock.now() - self._started

    @contextlib.contextmanager
    def blocked(self) -> Generator[None]:
        """Mark a period in which the sink blocks the output; it does not count."""
        self._blocked_since = self._clock.now()
        try:
            yield
        finally:
            self._blocked_seconds += self._clock.now() - self._blocked_since
            self._blocked_since = None

    async def wait(self, changed: asyncio.Event, timeout: float | None) -> None:
        """Wait for `changed`, or until `timeout` seconds of the command have passed."""
        limit = math.inf if timeout is None else timeout
        while not changed.is_set() and (left := self._seconds_left(limit)) > 0:
            await self._clock.wait_until(self._clock.now() + left, changed)

    def _seconds_left(self, timeout: float) -> float:
        now = self._clock.now()
        blocked = self._blocked_seconds
        if self._blocked_since is not None:
            blocked += now - self._blocked_since
        left = self._started + timeout + blocked - now
        return left if self._blocked_since is None else max(left, BACKPRESSURE_CHECK_SECONDS)
