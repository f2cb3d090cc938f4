"""Measures the memory of a sandbox through its control group."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.sandboxes.base import Sandbox

_FILES = (
    ("/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.peak"),  # version 2
    (
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "/sys/fs/cgroup/memory/memory.max_usage_in_bytes",
    ),
)
_MAX_DIGITS = 20


@dataclass(frozen=True, slots=True)
class SandboxMemory:
    """Memory in bytes, including cached files (kernel documentation, cgroup-v2, memory.current).

    Attributes:
        now: current usage; at the end of a run, that of an idle sandbox.
        peak: maximum since the sandbox started.
    """

    now: int
    peak: int


async def sandbox_memory(sandbox: Sandbox) -> SandboxMemory | None:
    """Measure the memory of a sandbox. None if unavailable: an embedded sandbox shares the control
    group of the program."""
    if sandbox.kind != "docker":
        return None
    for now, peak in _FILES:
        try:
            return SandboxMemory(await _number(sandbox, now), await _number(sandbox, peak))
        except (SandboxTuiError, ValueError):  # the other cgroup version, or unavailable
            continue
    return None


async def _number(sandbox: Sandbox, file: str) -> int:
    """Read the number in a file. `read_file` takes a fraction of the time of a command, which
    matters because all samples of an evaluation may end at once."""
    return int(await sandbox.read_file(file, max_bytes=_MAX_DIGITS))
