"""What programs that were killed leave behind."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from pathlib import Path
from typing import Any

from sandbox_tui.core.sandboxes.bubblewrap.workspace import OwnerRecord, sweep
from sandbox_tui.core.sandboxes.docker.engine import connect
from sandbox_tui.core.sandboxes.docker.engine import sweep as sweep_containers


async def nothing_remains(kind: str, folder: Path, grace: int) -> None:
    """No container, no private folder, once the grace period is over.

    Args:
        kind: of sandbox.
        folder: the programs' temporary folder.
        grace: seconds; nobody else has this number, by which the containers are known.
    """
    until = time.monotonic() + grace + 15
    left: list[Any] = [None]
    while left and time.monotonic() < until:
        left = await asyncio.to_thread(_containers, grace) if kind == "docker" else _folders(folder)
        await asyncio.sleep(0.5)
    assert left == []


async def no_process_remains(variable: str, seconds: float = 15) -> None:
    """No process has this variable in its environment, once those at work have ended.

    Args:
        variable: NAME=VALUE.
        seconds: that they have for it.
    """
    until = time.monotonic() + seconds
    while (left := _processes(variable)) and time.monotonic() < until:
        await asyncio.sleep(0.2)
    assert left == []


def _processes(variable: str) -> list[str]:
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is another person's
            if variable.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def _containers(grace: int) -> list[str]:
    """Those with these tests' own grace period: also of runs that had stored nothing, whose
    container may not even have been started; every start of a run sweeps those."""
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
    """Private folders in the runs' temporary folder, after a sweep such as every start makes."""
    before = tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        sweep()
    finally:
        tempfile.tempdir = before
    return [str(path) for path in folder.glob("sandbox-tui-*") if OwnerRecord.of(path) is not None]
