"""A private copy of a session database that may not be written, where only a copy can be read."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

from sandbox_tui.core.base.errors import StoreError

OLDER = "is read-only and was written by an older sandbox-tui"
"""Why it is copied: the copy can be migrated."""

HAS_LOG = "is in a read-only folder, and its latest events are still in its log"
"""Why it is copied: SQLite reads a write-ahead log with an index that it keeps beside it
(https://www.sqlite.org/wal.html, section 5)."""

_TIMES_ITS_SIZE = 3
"""Room for the copy, for its pages written anew, and for the journal of that."""


def log_of(path: Path) -> Path:
    """The write-ahead log of a database, which need not exist."""
    return path.with_name(f"{path.name}-wal")


def has_log(path: Path) -> bool:
    """Whether a database has a log with something in it."""
    log = log_of(path)
    return log.exists() and log.stat().st_size > 0


def copy_content(folder: Path, source: sqlite3.Connection, path: Path) -> Path:
    """Copy what `source` reads, which is the database `path`, into `folder`; returns the copy.

    Raises:
        StoreError: the folder has no room.
        sqlite3.Error: it cannot be read.
    """
    ((pages,),) = source.execute("PRAGMA page_count").fetchall()
    ((page_bytes,),) = source.execute("PRAGMA page_size").fetchall()
    _check_room(folder, pages * page_bytes, path, OLDER)
    copy = folder / path.name
    with contextlib.closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


def copy_with_log(folder: Path, path: Path) -> Path:
    """Copy the database `path` and its log into `folder`; returns the copy.

    Raises:
        StoreError: the folder has no room, or one of them cannot be read.
    """
    files = (path, log_of(path))
    try:
        _check_room(folder, sum(file.stat().st_size for file in files), path, HAS_LOG)
        for file in files:
            shutil.copyfile(file, folder / file.name)
    except OSError as error:
        raise StoreError(
            f"The session database {path} {HAS_LOG}, {log_of(path).name}, which cannot be copied: "
            f"{error.strerror}."
        ) from error
    return folder / path.name


def _check_room(folder: Path, size: int, path: Path, why: str) -> None:
    needed = size * _TIMES_ITS_SIZE
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise StoreError(
            f"The session database {path} {why}. Reading it needs a copy of {needed / 1e6:,.0f} MB "
            f"in {folder.parent}, where {free / 1e6:,.0f} MB are free. Free some space, or set "
            "TMPDIR to another folder."
        )
