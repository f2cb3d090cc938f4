"""Names for processes that stay true: process ids are used again."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import NamedTuple


class Owner(NamedTuple):
    """A process of some host, for good: its id, its start in clock ticks since boot, the host."""

    pid: int
    started: str
    host: str

    @classmethod
    def this_process(cls) -> Owner:
        """The program itself."""
        return cls(os.getpid(), _start(os.getpid()), socket.gethostname())

    @property
    def here(self) -> bool:
        """Whether it belongs to this host."""
        return self.host == socket.gethostname()

    @property
    def alive(self) -> bool:
        """Whether it is still there; True for one of another host, where we cannot know."""
        return not self.here or _start(self.pid) == self.started


def _start(pid: int) -> str:
    """When a process of this host began, empty when it is not there, or is dead and nobody has
    asked for its exit code yet (proc(5), stat fields 22 and 3)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]
