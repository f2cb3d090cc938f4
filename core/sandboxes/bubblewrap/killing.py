"""Kills bwrap together with its child process.

bwrap creates the namespaces in a child, which waits on an eventfd for its parent to write the id
maps, and does not notice if the parent dies. A parent killed at that point leaves a child that
sleeps forever (seen with 0.8.0; `--die-with-parent` is set later). Both are still in one process
group. A little later, the child has a session of its own and `--die-with-parent` is not set yet:
such a child survives, and ends when its stdin does.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def kill_bwrap(pid: int) -> None:
    """Kill a bwrap that was started in its own session, and its child."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def kill_left_over(folder: Path) -> None:
    """Kill every bwrap that a killed program left running on a sandbox's private folder.

    Each is killed with its process group, since it may create its child after the list was made.
    """
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if words[0] == b"bwrap" and os.fsencode(folder / "work") in words:
                os.killpg(os.getpgid(int(process.name)), signal.SIGKILL)
