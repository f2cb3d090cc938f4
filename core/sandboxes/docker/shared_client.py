"""One docker-py client for all sandboxes of a provider."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from sandbox_tui.core.sandboxes.blocking_calls import in_thread, in_thread_with_undo
from sandbox_tui.core.sandboxes.docker.engine import connect


class EngineConnection:
    """Connects for its first user and disconnects after its last.

    Attributes:
        client: a docker-py client; None while nobody uses it.
    """

    def __init__(self) -> None:
        self.client: Any = None
        self._users = 0
        self._lock = asyncio.Lock()

    async def acquire(self) -> Any:
        """Return the client; call `release` once when done.

        Raises:
            SandboxUnavailable: no engine answers.
        """
        async with self._lock:
            if self.client is None:
                self.client = await in_thread_with_undo(connect, lambda client: client.close())
            self._users += 1
            return self.client

    async def release(self) -> None:
        """Stop using the client."""
        async with self._lock:
            self._users -= 1
            if self._users == 0:
                client, self.client = self.client, None
                with contextlib.suppress(Exception):
                    await in_thread(client.close)
