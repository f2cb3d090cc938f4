"""Pauses and unpauses one container."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from sandbox_tui.core.sandboxes.blocking_calls import in_thread, run_shielded
from sandbox_tui.core.sandboxes.docker.outages import unpause_if_paused
from sandbox_tui.core.sandboxes.docker.pending_execs import PendingExecs
from sandbox_tui.core.sandboxes.protocol.dispatcher_channel import Channel
from sandbox_tui.core.sandboxes.protocol.pausable_clock import PausableClock

SETTLE_SECONDS = 0.3
"""Seconds until the engine has noticed a container's change of state."""

MAX_UNPAUSE_ATTEMPTS = 5


class ContainerPause:
    """Freezes a container together with its clock.

    Args:
        clock: pauses while the container is paused.
        call: makes a blocking call to the engine; its errors become `SandboxError`s.
    """

    def __init__(
        self, clock: PausableClock, call: Callable[[Callable[[], None]], Awaitable[None]]
    ) -> None:
        self.container: Any = None
        self.pending = PendingExecs()
        self._clock = clock
        self._call = call
        self._lock = asyncio.Lock()
        self._toggled_at = 0.0
        self._opening: set[asyncio.Task[Channel]] = set()

    async def opened(self, opening: asyncio.Task[Channel]) -> Channel:
        """Wait until a channel is open; keep the container from being paused meanwhile."""
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)
        return await opening

    async def pause(self, *, briefly: bool) -> None:
        """Pause the container; does nothing if it is already paused."""
        await run_shielded(self._pause(briefly=briefly), lambda _: self.unpause())

    async def unpause(self) -> None:
        """Unpause the container, whoever paused it."""
        await run_shielded(self._unpause())

    async def _pause(self, *, briefly: bool) -> None:
        async with self._lock:
            if self._clock.frozen:
                return
            self._clock.pause(briefly=briefly)
            try:
                while self._opening:
                    await asyncio.wait(self._opening)
                await in_thread(self.pending.wait, self.container.client.api)
                await self._toggle(self.container.pause)
            except BaseException:
                self._clock.resume()
                raise

    async def _unpause(self) -> None:
        async with self._lock:
            if not self._clock.frozen:
                if self.container is not None:
                    await unpause_if_paused(self.container)
                return
            try:
                await self._toggle(self._try_to_unpause)
            finally:
                # A container that stays paused counts as paused from outside: that is reported, and
                # it is unpaused again before a command in it is ended.
                self._clock.resume()

    def _try_to_unpause(self) -> None:
        """Unpause the container (blocking); the engine may refuse this for a short time."""
        import docker.errors

        for attempt in range(1, MAX_UNPAUSE_ATTEMPTS + 1):
            try:
                self.container.unpause()
            except docker.errors.APIError:
                self.container.reload()
                if not self.container.attrs.get("State", {}).get("Paused"):
                    return
                if attempt == MAX_UNPAUSE_ATTEMPTS:
                    raise
                time.sleep(SETTLE_SECONDS)
            else:
                return

    async def _toggle(self, call: Callable[[], None]) -> None:
        """Pause or unpause, but not too soon after the last change.

        The container reports a change to the engine a little later, and the engine would take the
        report of the first change for the state after the second.
        """
        await asyncio.sleep(self._toggled_at + SETTLE_SECONDS - time.monotonic())
        try:
            await self._call(call)
        finally:
            self._toggled_at = time.monotonic()
