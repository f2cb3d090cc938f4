"""The protocol through which episodes get their sandboxes."""

from __future__ import annotations

import asyncio
from typing import Protocol

from sandbox_tui.core.sandboxes.base import Sandbox, SandboxSpec


class SandboxSource(Protocol):
    """Hands out started sandboxes and takes them back; `EpisodePool` is one."""

    async def open(self, spec: SandboxSpec) -> Sandbox:
        """Return a started sandbox; waits while too many are open.

        Raises:
            SandboxUnavailable: no sandbox can be started.
        """
        ...

    def release(self, sandbox: Sandbox) -> asyncio.Task[None]:
        """Start to close a sandbox; the task ends once the sandbox is removed."""
        ...
