"""The memory of a sandbox, from its control group."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.sandboxes.base import Sandbox

_FILES = (
    "cat /sys/fs/cgroup/memory.current /sys/fs/cgroup/memory.peak 2>/dev/null"  # version 2
    " || cat /sys/fs/cgroup/memory/memory.usage_in_bytes"
    " /sys/fs/cgroup/memory/memory.max_usage_in_bytes"
)
_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class SandboxMemory:
    """Bytes, cached files among them (kernel documentation, cgroup-v2, memory.current).

    Attributes:
        now: at the moment; at the end of a run, the memory of an idle sandbox.
        peak: the most since the sandbox began.
    """

    now: int
    peak: int


async def sandbox_memory(sandbox: Sandbox) -> SandboxMemory | None:
    """The memory of a sandbox; None where nothing tells: an embedded sandbox shares the control
    group of the program."""
    if sandbox.kind != "docker":
        return None
    try:
        done = await sandbox.run(["sh", "-c", _FILES], timeout=_SECONDS)
        now, peak = map(int, done.stdout.split())
    except (SandboxTuiError, ValueError):
        return None
    return SandboxMemory(now, peak)
