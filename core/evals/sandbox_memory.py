"""The memory of a sandbox, from its control group."""

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
    for now, peak in _FILES:
        try:
            return SandboxMemory(await _number(sandbox, now), await _number(sandbox, peak))
        except (SandboxTuiError, ValueError):  # it is the other version, or nothing tells
            continue
    return None


async def _number(sandbox: Sandbox, file: str) -> int:
    """What a file says. It is read as any other of the sandbox is, which takes a fraction of what a
    command of its own would: all samples of an evaluation may end at the same moment."""
    return int(await sandbox.read_file(file, max_bytes=_MAX_DIGITS))
