"""Private copies of a read-only session database, for cases in which SQLite cannot read the
original."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

from sandbox_tui.core.base.errors import StoreError

OLDER = "is read-only and was written by an older sandbox-tui"
"""Reason for a copy: only a copy can be migrated."""

HAS_LOG = "is in a read-only folder, and its latest events are still in its log"
"""Reason for a copy: to read a write-ahead log, SQLite needs an index file next to it
(https://www.sqlite.org/wal.html, section 5)."""

_TIMES_ITS_SIZE = 3
"""Space for the copy, its rewritten pages, and their journal."""


def log_of(path: Path) -> Path:
    """Return the path of a database's write-ahead log, which may not exist."""
    return path.with_name(f"{path.name}-wal")


def has_log(path: Path) -> bool:
    """Return whether a database has a log that is not empty."""
    log = log_of(path)
    return log.exists() and log.stat().st_size > 0


def copy_content(folder: Path, source: sqlite3.Connection, path: Path) -> Path:
    """Copy what `source` reads of the database `path` into `folder`; return the path of the copy.

    Raises:
        StoreError: the folder has not enough space.
        sqlite3.Error: the database cannot be read.
    """
    ((pages,),) = source.execute("PRAGMA page_count").fetchall()
    ((page_bytes,),) = source.execute("PRAGMA page_size").fetchall()
    _check_room(folder, pages * page_bytes, path, OLDER)
    copy = folder / path.name
    with contextlib.closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


def copy_with_log(folder: Path, path: Path) -> Path:
    """Copy the database `path` and its log into `folder`; return the path of the copy.

    Raises:
        StoreError: the folder has not enough space, or one of the files cannot be read.
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
