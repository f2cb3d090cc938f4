"""Kills bwrap so that nothing of it is left.

bwrap makes the namespaces in a child, which waits for its parent to write the id maps: an eventfd,
which says nothing when the parent dies. A parent killed in that moment leaves a child that sleeps
for ever (seen with 0.8.0; `--die-with-parent` is set later). Both are still in one process group.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def kill_bwrap(pid: int) -> None:
    """Kill a bwrap that was started in a session of its own, and its child."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def kill_left_over(folder: Path) -> None:
    """Kill every bwrap over a sandbox's private folder, left by a program that was killed."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if words[0] == b"bwrap" and os.fsencode(folder / "work") in words:
                os.kill(int(process.name), signal.SIGKILL)
