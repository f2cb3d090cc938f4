"""A private copy of a read-only file that an older version wrote: the copy can be migrated."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

from sandbox_tui.core.base.errors import StoreError

_TIMES_ITS_SIZE = 3
"""Room for the copy, for its pages written anew, and for the journal of that."""


def copy_to(folder: Path, source: sqlite3.Connection, path: Path) -> Path:
    """Copy the database `path`, which `source` reads, into `folder`; returns the copy.

    Raises:
        StoreError: the folder has no room.
        sqlite3.Error: it cannot be read.
    """
    _check_room(folder, source, path)
    copy = folder / path.name
    with contextlib.closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


def _check_room(folder: Path, source: sqlite3.Connection, path: Path) -> None:
    ((pages,),) = source.execute("PRAGMA page_count").fetchall()
    ((page_bytes,),) = source.execute("PRAGMA page_size").fetchall()
    needed = pages * page_bytes * _TIMES_ITS_SIZE
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise StoreError(
            f"The session database {path} is read-only and was written by an older sandbox-tui. "
            f"To read it takes a copy of {needed / 1e6:,.0f} MB in {folder.parent}, where "
            f"{free / 1e6:,.0f} MB are free. Make room, or set TMPDIR to another folder."
        )
