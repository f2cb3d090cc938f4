"""Stopping the sandbox where it is, and letting it go on, at a moment when that hurts nobody."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from .errors import SandboxError
from .events import Actor, AnyEvent, SandboxFrozen, SandboxThawed, Warned
from .sandboxes.base import Sandbox


class Freezer:
    """Freezes and thaws one run's sandbox.

    Args:
        sandbox: which one.
        files: held by whoever is in the middle of several file operations; held while frozen.
        post: writes an event.

    Attributes:
        frozen: whether it is frozen.
    """

    def __init__(
        self, sandbox: Sandbox, files: asyncio.Lock, post: Callable[[AnyEvent], AnyEvent]
    ) -> None:
        self._sandbox = sandbox
        self._files = files
        self._post = post
        self._turn = asyncio.Lock()
        self._going = asyncio.Event()
        self._going.set()
        self._limit: asyncio.Timeout | None = None
        self._left: float | None = None
        self._soon: asyncio.Task[None] | None = None
        self.frozen = False

    def holds_up(self, limit: asyncio.Timeout) -> None:
        """From now on this time limit does not run on while the sandbox is frozen."""
        self._limit = limit

    async def freeze(self, by: Actor = "human") -> None:
        """Stop everything; nothing happens when it is frozen already.

        Raises:
            SandboxError: it cannot be frozen.
        """
        async with self._turn:
            if self.frozen:
                return
            await self._files.acquire()
            try:
                await self._sandbox.freeze()
            except BaseException:
                self._files.release()
                raise
            self.frozen = True
            self._going.clear()
            self._stop_limit()
            self._post(SandboxFrozen(by=by))

    async def thaw(self, by: Actor = "human") -> None:
        """Let everything go on; nothing happens when it is not frozen.

        Raises:
            SandboxError: it cannot be let go on.
        """
        async with self._turn:
            if not self.frozen:
                return
            await self._sandbox.thaw()
            self._go_on(by)

    def thaw_soon(self) -> None:
        """The same for whoever cannot wait; what keeps it from going on is written as an event."""
        if self.frozen:
            self._soon = asyncio.create_task(self._thaw_or_say_why_not())

    async def _thaw_or_say_why_not(self) -> None:
        try:
            await self.thaw()
        except SandboxError as error:
            self._post(Warned(text=str(error)))

    async def thaw_for_the_end(self) -> None:
        """Let everything go on, since the run ends; a sandbox that is gone is let go as well."""
        with contextlib.suppress(SandboxError):
            await self.thaw(by="program")
        if self.frozen:
            self._go_on("program")

    async def thawed(self) -> None:
        """Wait while it is frozen."""
        await self._going.wait()

    def _go_on(self, by: Actor) -> None:
        self.frozen = False
        self._files.release()
        self._going.set()
        self._run_limit()
        self._post(SandboxThawed(by=by))

    def _stop_limit(self) -> None:
        limit = self._limit
        when = None if limit is None or limit.expired() else limit.when()
        if limit is not None and when is not None:
            self._left = when - asyncio.get_running_loop().time()
            limit.reschedule(None)

    def _run_limit(self) -> None:
        if self._limit is not None and self._left is not None:
            with contextlib.suppress(RuntimeError):  # the run ended in the meantime
                self._limit.reschedule(asyncio.get_running_loop().time() + self._left)
            self._left = None
