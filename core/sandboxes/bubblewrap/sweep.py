"""Removes the private folders that ended programs of this host left behind."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from pathlib import Path

from sandbox_tui.core.sandboxes.bubblewrap.killing import kill_left_over
from sandbox_tui.core.sandboxes.bubblewrap.owner_record import OWNER_FILE, PREFIX, OwnerRecord
from sandbox_tui.core.sandboxes.bubblewrap.workspace import remove_folder

_sweeping = threading.Lock()


def sweep() -> list[Path]:
    """Remove private folders whose program has ended on this host and whose grace period is over.

    Returns the removed folders. Does nothing while another thread sweeps.
    """
    if not _sweeping.acquire(blocking=False):
        return []
    try:
        return _sweep()
    finally:
        _sweeping.release()


def _sweep() -> list[Path]:
    removed: list[Path] = []
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(Exception):  # cleaning up must never prevent a run from starting
            if _swept(folder):
                removed.append(folder)
    return removed


def _swept(folder: Path) -> bool:
    """Remove a folder if its grace period is over; returns whether it was removed."""
    record = OwnerRecord.of(folder)
    if record is None or not record.owner.here or record.owner.alive:
        return False
    if _age(folder / OWNER_FILE) <= record.grace or not record.remove_from(folder):
        return False
    kill_left_over(folder)
    remove_folder(folder)
    record.remove_cgroup()
    return True


def _age(file: Path) -> float:
    """Return the seconds since the file was touched; 0 if it no longer exists."""
    try:
        return time.time() - file.stat().st_mtime
    except OSError:
        return 0.0
