"""Ends the programs that a failed journey left behind: a detached run outlives its terminal."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

SECONDS = 30.0
"""Within which a program ends its runs and sandboxes after SIGTERM; then it is killed."""


def end_programs_of(home: Path) -> list[int]:
    """End all programs that were started with this home; return their process ids."""
    found = list(_programs_of(home))
    for pid in found:
        _send(pid, signal.SIGTERM)
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and list(_programs_of(home)):
        time.sleep(0.05)
    for pid in _programs_of(home):
        _send(pid, signal.SIGKILL)
    return found


def _programs_of(home: Path) -> Iterator[int]:
    mine = f"SANDBOX_TUI_HOME={home}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:  # it has ended, or is another user's
            continue
        if mine in environment.split(b"\0") and int(folder.name) != os.getpid():
            yield int(folder.name)


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
