"""A provider, which creates sandboxes of one kind, a limited number at a time."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import weakref
from abc import ABC, abstractmethod
from dataclasses import replace

from sandbox_tui.core.base.errors import SandboxError, SandboxUnavailable
from sandbox_tui.core.sandboxes.base import Sandbox, SandboxSpec
from sandbox_tui.core.sandboxes.blocking_calls import run_shielded
from sandbox_tui.core.sandboxes.concurrency_limits import MAX_AT_ONCE, ConcurrencyLimits
from sandbox_tui.core.sandboxes.dispatcher_sandbox import DispatcherSandbox


class SandboxProvider(ABC):
    """Creates sandboxes of one kind, for one event loop.

    Leftovers of earlier programs are swept once, before the first sandbox. Warm spares are started
    ahead of need and handed out by `create` and `open`.

    Args:
        at_once: maximum number of sandboxes that start, are listed or are removed at once.
    """

    def __init__(self, *, at_once: int = MAX_AT_ONCE) -> None:
        self._limits = ConcurrencyLimits.of(at_once)
        self._sweeping = asyncio.Lock()
        self._swept = False
        self._closed = False
        self._spares: list[DispatcherSandbox] = []
        self._spare_count = 0
        self._refills: set[asyncio.Task[None]] = set()
        self._created: weakref.WeakSet[DispatcherSandbox] = weakref.WeakSet()

    @abstractmethod
    def _make(self, spec: SandboxSpec) -> DispatcherSandbox:
        """Return a new sandbox, not started."""

    @abstractmethod
    async def _sweep(self) -> None:
        """Remove the leftovers of programs that have ended."""

    async def sweep(self) -> None:
        """Remove the leftovers of programs that have ended, on the first call only."""
        async with self._sweeping:
            if not self._swept:
                await self._sweep()
                self._swept = True

    async def create(self, spec: SandboxSpec, *, because: str = "") -> Sandbox:
        """Return a sandbox that is not started, or a warm spare, whose `start` returns immediately.

        Args:
            spec: the requested spec.
            because: why this kind was chosen; empty if it was requested.

        Raises:
            SandboxError: the provider is closed.
        """
        self._require_open()
        sandbox = await self._take_spare(spec) or await self._connected(spec)
        sandbox.explain(because)
        return sandbox

    async def open(self, spec: SandboxSpec, *, because: str = "") -> Sandbox:
        """Return a started sandbox.

        Raises:
            SandboxUnavailable: it cannot be started.
        """
        sandbox = await self.create(spec, because=because)
        await sandbox.start()
        return sandbox

    def recorded(self, spec: SandboxSpec) -> Sandbox:
        """Return the sandbox of a recorded run, to be reattached."""
        self._require_open()
        return self._new(spec)

    async def warm(self, spec: SandboxSpec, count: int = 1) -> None:
        """Start spares, and keep `count` of them ready from now on.

        A spare fits every spec that differs from `spec` only in `session_id`.

        Raises:
            SandboxUnavailable: one cannot be started.
        """
        self._require_open()
        self._spare_count = count
        async with asyncio.TaskGroup() as group:
            for _ in range(count - len(self._spares)):
                group.create_task(self._add_spare(spec))

    async def close(self) -> None:
        """Close the spares and every sandbox that is still open."""
        self._closed = True
        for task in list(self._refills):
            task.cancel()
        await asyncio.gather(*self._refills, return_exceptions=True)
        self._spares.clear()
        await asyncio.gather(*(sandbox.close() for sandbox in list(self._created)))

    def _new(self, spec: SandboxSpec) -> DispatcherSandbox:
        sandbox = self._make(spec)
        sandbox.limit_concurrency(self._limits)
        self._created.add(sandbox)
        return sandbox

    async def _connected(self, spec: SandboxSpec) -> DispatcherSandbox:
        """Return a new sandbox, connected first so that the sweep uses the same connection."""
        sandbox = self._new(spec)
        try:
            with contextlib.suppress(SandboxUnavailable):  # reported by `start`
                await sandbox.connect()
            await self.sweep()
        except BaseException:
            await run_shielded(sandbox.close())
            raise
        return sandbox

    async def _add_spare(self, spec: SandboxSpec) -> None:
        spare = await self._connected(replace(spec, session_id=f"spare-{secrets.token_hex(6)}"))
        await spare.start()
        self._spares.append(spare)

    async def _take_spare(self, spec: SandboxSpec) -> DispatcherSandbox | None:
        """Take a spare that fits and still works, and start another in its place."""
        for spare in list(self._spares):
            if replace(spec, session_id=spare.spec.session_id) != spare.spec:
                continue
            self._spares.remove(spare)
            self._refill(spec)
            try:
                await spare.assign(spec.session_id)
            except SandboxError:  # it has ended meanwhile
                await spare.close()
            else:
                return spare
        return None

    def _refill(self, spec: SandboxSpec) -> None:
        async def refill() -> None:
            with contextlib.suppress(SandboxError):  # the next run starts its own sandbox
                if len(self._spares) < self._spare_count:
                    await self._add_spare(spec)

        task = asyncio.create_task(refill())
        self._refills.add(task)
        task.add_done_callback(self._refills.discard)

    def _require_open(self) -> None:
        if self._closed:
            raise SandboxError("This provider of sandboxes has been closed.")
