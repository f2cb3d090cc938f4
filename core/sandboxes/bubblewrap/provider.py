"""Creates embedded sandboxes."""

from __future__ import annotations

from typing_extensions import override

from sandbox_tui.core.sandboxes.base import SandboxSpec
from sandbox_tui.core.sandboxes.blocking_calls import in_thread
from sandbox_tui.core.sandboxes.bubblewrap.sandbox import BubblewrapSandbox
from sandbox_tui.core.sandboxes.bubblewrap.sweep import sweep
from sandbox_tui.core.sandboxes.provider import SandboxProvider


class BubblewrapProvider(SandboxProvider):
    """Creates sandboxes from namespaces on this machine."""

    @override
    def _make(self, spec: SandboxSpec) -> BubblewrapSandbox:
        return BubblewrapSandbox(spec)

    @override
    async def _sweep(self) -> None:
        await in_thread(sweep)
