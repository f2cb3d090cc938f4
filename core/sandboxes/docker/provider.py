"""Creates Docker sandboxes over one connection to the engine."""

from __future__ import annotations

from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxUnavailable
from sandbox_tui.core.sandboxes.base import SandboxSpec
from sandbox_tui.core.sandboxes.blocking_calls import in_thread
from sandbox_tui.core.sandboxes.concurrency_limits import MAX_AT_ONCE
from sandbox_tui.core.sandboxes.docker.engine import (
    EngineConnection,
    EngineStatus,
    engine_status,
    status_of,
)
from sandbox_tui.core.sandboxes.docker.sandbox import DockerSandbox
from sandbox_tui.core.sandboxes.docker.sweep import sweep_containers
from sandbox_tui.core.sandboxes.image_name import DEFAULT_IMAGE
from sandbox_tui.core.sandboxes.provider import SandboxProvider


class DockerProvider(SandboxProvider):
    """Creates containers on one engine, connected while any of its sandboxes is open."""

    def __init__(self, *, at_once: int = MAX_AT_ONCE) -> None:
        super().__init__(at_once=at_once)
        self._connection = EngineConnection()

    async def status(self, image: str) -> EngineStatus:
        """Return whether the engine answers and has this image (the default one if empty)."""
        image = image or DEFAULT_IMAGE
        client = self._connection.client
        if client is None:
            return await in_thread(engine_status, image)
        return await in_thread(status_of, client, image)

    @override
    def _make(self, spec: SandboxSpec) -> DockerSandbox:
        return DockerSandbox(spec, connection=self._connection)

    @override
    async def _sweep(self) -> None:
        try:
            client = await self._connection.acquire()
        except SandboxUnavailable:  # reported by the next sandbox that starts
            return
        try:
            await in_thread(sweep_containers, client)
        finally:
            await self._connection.release()
