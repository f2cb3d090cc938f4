"""A run that stands still while it is watched, for pictures of the live screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.human.run_controls import Controls


class WatchedRun:
    """A `RunHandle` that yields these events and then stays silent.

    Args:
        events: all events from the first.
    """

    def __init__(self, events: Sequence[e.AnyEvent]) -> None:
        first = events[0]
        assert isinstance(first, e.RunStarted)
        self.run_id = first.run_id
        self.task = first.task
        self.failure: SandboxTuiError | None = None
        self.ended = asyncio.Event()
        self.run: Controls | None = None
        self.began: float | None = None
        self.can_be_steered = True
        self.steers = True
        self.audience = ""
        self.exit_code = 0
        self.storage_error = ""
        self._events = events

    def start(self) -> None:
        """Does nothing; the run has already started."""

    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        for event in self._events:
            yield event
        await self.ended.wait()

    def take_over(self) -> None:
        """Does nothing; there is no other screen."""

    async def stop(self, because: str) -> None:
        self.ended.set()
