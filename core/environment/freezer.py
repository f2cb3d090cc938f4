"""Freezes and thaws the sandbox, but not in the middle of file operations."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from typing_extensions import override

from sandbox_tui.core.base.errors import FileRefused, SandboxError, SandboxLost, SandboxTuiError
from sandbox_tui.core.environment.environment_parts import SandboxFreezer
from sandbox_tui.core.events.types import Actor, AnyEvent, SandboxFrozen, SandboxThawed, Warned
from sandbox_tui.core.sandboxes.base import Sandbox


class Freezer(SandboxFreezer):
    """Freezes and thaws one run's sandbox.

    Args:
        sandbox: the sandbox.
        files: held during a series of file operations, and while the sandbox is frozen.
        post: writes an event.

    Attributes:
        frozen: whether the sandbox is frozen.
    """

    def __init__(
        self, sandbox: Sandbox, files: asyncio.Lock, post: Callable[[AnyEvent], AnyEvent]
    ) -> None:
        self._sandbox = sandbox
        self._files = files
        self._post = post
        self._lock = asyncio.Lock()
        self._thawed = asyncio.Event()
        self._thawed.set()
        self._deadline: asyncio.Timeout | None = None
        self._seconds_left: float | None = None
        self._scheduled: asyncio.Task[None] | None = None
        self._ending = False
        self.frozen = False

    @override
    def attach_deadline(self, deadline: asyncio.Timeout) -> None:
        self._deadline = deadline
        if self.frozen:
            self._stop_deadline()

    @override
    async def freeze(self, by: Actor = "human") -> None:
        """Stop all processes; does nothing if already frozen.

        Raises:
            SandboxError: the sandbox cannot be frozen.
            FileRefused: the run is ending, and its files are being read.
        """
        async with self._lock:
            if self.frozen:
                return
            await self._files.acquire()
            try:
                if self._ending:
                    raise FileRefused("The run is ending: there is nothing left to freeze.")
                await self._sandbox.freeze()
            except BaseException:
                self._files.release()
                raise
            self.frozen = True
            self._thawed.clear()
            self._stop_deadline()
            self._post(SandboxFrozen(by=by))

    @override
    async def thaw(self, by: Actor = "human") -> None:
        """Resume all processes; does nothing if not frozen.

        Raises:
            SandboxError: the sandbox cannot be thawed.
        """
        async with self._lock:
            if not self.frozen:
                return
            try:
                await self._sandbox.thaw()
            except SandboxLost:  # tasks that wait for the thaw will notice the loss
                self._on_thawed(by)
                raise
            self._on_thawed(by)

    @override
    def schedule_thaw(self) -> None:
        if self.frozen:
            self._scheduled = asyncio.create_task(self._thaw_or_warn())

    async def _thaw_or_warn(self) -> None:
        try:
            await self.thaw()
        except SandboxError as error:
            self._post(Warned(text=str(error)))

    @override
    async def thaw_for_the_end(self) -> None:
        self._ending = True
        with contextlib.suppress(SandboxTuiError):
            await self.thaw(by="program")
        if self.frozen:
            self._on_thawed("program")

    @override
    async def wait_thawed(self) -> None:
        await self._thawed.wait()

    def _on_thawed(self, by: Actor) -> None:
        self.frozen = False
        self._files.release()
        self._thawed.set()
        self._continue_deadline()
        self._post(SandboxThawed(by=by))

    def _stop_deadline(self) -> None:
        deadline = self._deadline
        when = None if deadline is None or deadline.expired() else deadline.when()
        if deadline is not None and when is not None:
            self._seconds_left = when - asyncio.get_running_loop().time()
            deadline.reschedule(None)

    def _continue_deadline(self) -> None:
        if self._deadline is not None and self._seconds_left is not None:
            with contextlib.suppress(RuntimeError):  # the run ended in the meantime
                self._deadline.reschedule(asyncio.get_running_loop().time() + self._seconds_left)
            self._seconds_left = None
