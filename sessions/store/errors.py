"""Turns SQLite errors into `StoreError`s that name the file and suggest what to do."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import zlib
from collections.abc import Generator
from pathlib import Path

from sandbox_tui.core.base.errors import StoreError

_ANEW = "set SANDBOX_TUI_HOME to start a new one elsewhere."
_CHECK = "`sandbox-tui sessions check` checks all of it."
_DAMAGED = f"is damaged: {_CHECK} Restore it from a copy, or {_ANEW}"
_READ_ONLY = "cannot be written: it, or its folder, is read-only."
_FULL = "could not be written: the disk is full. Free some space, then continue."

_CAUSES: tuple[tuple[str, str], ...] = (
    ("is not a database", f"is not a session database. Move it away, or {_ANEW}"),
    ("malformed", _DAMAGED),
    ("readonly", _READ_ONLY),
    ("read-only", _READ_ONLY),
    ("locked", "is locked by another program. Try again."),
    ("full", _FULL),
    ("unable to open", "cannot be opened. Check that its folder exists and is writable."),
    ("decompressing", _DAMAGED),
    ("could not decode", _DAMAGED),
    ("foreign key", "no longer has this session: it was deleted in the meantime."),
    ("disk i/o", "could not be read or written: the disk reports an error."),
)


_PASSING = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
)
"""SQLite's codes for errors that may be temporary."""

EXPLAINED = (sqlite3.Error, zlib.error, OSError)
"""Errors that `explained` turns into `StoreError`."""


@contextlib.contextmanager
def explained(path: Path) -> Generator[None, None, None]:
    """Turn errors of SQLite and of the file system into `StoreError`."""
    try:
        yield
    except EXPLAINED as error:
        raise explanation(path, error) from error


def explanation(path: Path, error: Exception) -> StoreError:
    """Return the error to raise for one of `EXPLAINED`."""
    if isinstance(error, OSError):
        return StoreError(f"The session database {path} cannot be used: {error.strerror}.")
    return StoreError(_sentence(path, str(error)), is_transient=_is_transient(error))


def _is_transient(error: Exception) -> bool:
    """Return whether an error may be temporary, by its primary code, which is the low byte
    (https://www.sqlite.org/rescode.html)."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(code, int) and code & 0xFF in _PASSING


def _sentence(path: Path, words: str) -> str:
    if hidden := _hidden_cause(path.parent, words):
        return f"The session database {path} {hidden}"
    for part, cause in _CAUSES:
        if part in words.lower():
            return f"The session database {path} {cause}"
    return f"The session database {path} cannot be used: {words}."


def _hidden_cause(folder: Path, words: str) -> str:
    """Return the cause, if SQLite only reports that it cannot create its log or its index."""
    if words == "unable to open database file":
        return _READ_ONLY if folder.exists() and not os.access(folder, os.W_OK) else ""
    return _FULL if words == "disk I/O error" and not shutil.disk_usage(folder).free else ""
