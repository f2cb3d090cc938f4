"""What killed programs leave behind."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from pathlib import Path
from typing import Any

from sandbox_tui.core.sandboxes.bubblewrap.owner_record import OwnerRecord
from sandbox_tui.core.sandboxes.bubblewrap.sweep import sweep
from sandbox_tui.core.sandboxes.docker.engine import connect
from sandbox_tui.core.sandboxes.docker.sweep import sweep as sweep_containers


async def nothing_remains(kind: str, folder: Path, grace: int) -> None:
    """Check that no container or private folder remains once the grace period is over.

    Args:
        kind: kind of sandbox.
        folder: the programs' temporary folder.
        grace: seconds; unique to the test, so that it identifies the containers.
    """
    until = time.monotonic() + grace + 15
    left: list[Any] = [None]
    while left and time.monotonic() < until:
        left = await asyncio.to_thread(_containers, grace) if kind == "docker" else _folders(folder)
        await asyncio.sleep(0.5)
    assert left == []


async def no_process_remains(variable: str, seconds: float = 15) -> None:
    """Check that no process has this variable in its environment, allowing time for them to end.

    Args:
        variable: NAME=VALUE.
        seconds: how long they may take to end.
    """
    until = time.monotonic() + seconds
    while (left := _processes(variable)) and time.monotonic() < until:
        await asyncio.sleep(0.2)
    assert left == []


def _processes(variable: str) -> list[str]:
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
            if variable.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def _containers(grace: int) -> list[str]:
    """Containers with the tests' own grace period, after a sweep such as every run makes.

    Includes those of runs that had stored nothing and whose container may not even have started.
    """
    sweep_containers()
    client = connect()
    try:
        found = client.containers.list(
            all=True, ignore_removed=True, filters={"label": f"sandbox-tui.lease={grace}"}
        )
        return [str(one.name) for one in found]
    finally:
        client.close()


def _folders(folder: Path) -> list[str]:
    """Private folders in the runs' temporary folder, after a sweep such as every run makes."""
    before = tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        sweep()
    finally:
        tempfile.tempdir = before
    return [str(path) for path in folder.glob("sandbox-tui-*") if OwnerRecord.of(path) is not None]
