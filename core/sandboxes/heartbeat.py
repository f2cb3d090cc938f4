"""A heartbeat that shows every few seconds that a sandbox's program is alive."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from sandbox_tui.core.base.errors import SandboxTuiError

MAX_BEAT_SECONDS = 5.0
"""Maximum seconds between beats; fewer if the grace period is short."""


class Heartbeat:
    """Keeps a sandbox alive until it is stopped.

    Args:
        beat: renews the sandbox's lease once. Its errors are ignored: the next beat may succeed.
        grace: seconds the sandbox outlives its program.
    """

    def __init__(self, beat: Callable[[], Awaitable[None]], grace: float) -> None:
        self._beat = beat
        self._seconds = min(MAX_BEAT_SECONDS, grace / 4)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start beating, first after one interval: a sandbox starts with its full grace period."""
        self._task = asyncio.create_task(self._run())

    def stop(self) -> None:
        """Stop beating."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            with contextlib.suppress(SandboxTuiError, OSError):
                await self._beat()
