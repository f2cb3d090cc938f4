"""Where episodes get their sandboxes."""

from __future__ import annotations

import asyncio
from typing import Protocol

from sandbox_tui.core.sandboxes.base import Sandbox, SandboxSpec


class SandboxSource(Protocol):
    """Hands out started sandboxes and takes them back; `EpisodePool` is one."""

    async def open(self, spec: SandboxSpec) -> Sandbox:
        """A started sandbox; waits while too many are open.

        Raises:
            SandboxUnavailable: none can be started.
        """
        ...

    def release(self, sandbox: Sandbox) -> asyncio.Task[None]:
        """Begin to close a sandbox; the task ends when it is gone."""
        ...
