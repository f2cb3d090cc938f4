"""File permissions of the session database: readable only by its user, since it holds everything
that is typed and written.

SQLite gives its log and index the permissions of the database.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from sandbox_tui.sessions.store.private_copy import log_of


def new_file(path: Path) -> None:
    """Create a file and its folder, readable only by the user; existing ones are left unchanged.

    Raises:
        OSError: the folder cannot be created.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(OSError):  # opening it reports the error
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))


def make_private(path: Path) -> None:
    """Remove other users' permissions on a database, its log and index, and their folder.

    Called when a version opens the file for the first time, so that permissions granted later stay.
    """
    for file in (path, log_of(path), path.with_name(f"{path.name}-shm")):
        _tighten(file)
    if _may_be_made_private(path.parent):
        _tighten(path.parent)


def _tighten(path: Path) -> None:
    with contextlib.suppress(OSError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            path.chmod(mode & 0o700)


def _may_be_made_private(folder: Path) -> bool:
    """Return whether a folder may be made private: it is not a home, shared, or another user's."""
    with contextlib.suppress(OSError, RuntimeError):
        found = folder.stat()
        return not (
            found.st_uid != os.getuid()
            or found.st_mode & (stat.S_ISVTX | stat.S_IWOTH)
            or folder.samefile(Path.home())
        )
    return False
