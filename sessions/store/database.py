"""The file of the session database: opens it, migrates it, and reads and writes in transactions.

There is one connection, used by one thread at a time; every public method may be called from any
thread.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import threading
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions.store.errors import EXPLAINED, explained, explanation
from sandbox_tui.sessions.store.file_permissions import make_private, new_file
from sandbox_tui.sessions.store.migrations.migrate import (
    MIGRATIONS,
    foreign,
    migrate,
    missing,
    unknown,
    version,
)
from sandbox_tui.sessions.store.private_copy import (
    HAS_LOG,
    OLDER,
    copy_content,
    copy_with_log,
    has_log,
)

BUSY_SECONDS = 5.0
"""Timeout for the lock while another program writes."""

IMPATIENT_SECONDS = 0.1
"""Timeout after the first one has expired: waiting blocks this program's other threads."""

CHECKPOINT_PAGES = 4_000
"""Pages in the write-ahead log after which they are copied into the file. A run rewrites the same
pages of the full-text index again and again: with fewer checkpoints, each is copied less often."""

SMALL_BYTES = 64 << 20
"""An older file of at most this size is compacted after it has been migrated."""


class Database:
    """The file of a session database.

    Args:
        path: of the file, created if missing.

    Attributes:
        writable: False if `open_readonly_if_needed` had to open it read-only.
        copied_because: why a private copy is read instead of the file, which is not writable:
            `private_copy.OLDER` or `HAS_LOG`; empty if the file itself is read.

    Raises:
        StoreError: the file cannot be opened, is damaged, or was written by a newer version.
    """

    def __init__(self, path: Path) -> None:
        self._begin(path, writable=True)
        with explained(path):
            new_file(path)
            self._connection = self._connect()
            try:
                self._open()
            except BaseException:
                self._connection.close()
                raise

    def _begin(self, path: Path, *, writable: bool) -> None:
        self.path = path
        self.writable = writable
        self.copied_because = ""
        self._on_close = contextlib.ExitStack()
        self._lock = threading.RLock()
        self._impatient = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()
            self._on_close.close()

    def data_version(self) -> int:
        """Return a number that changes when another connection, such as another program's, has
        written.

        Raises:
            StoreError: the database cannot be read.
        """
        return int(self.rows("PRAGMA data_version")[0]["data_version"])

    # --- opening

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None
        )

    def _open(self) -> None:
        self._check_version()
        updated = self._bring_up_to_date()
        self._write_ahead()
        self._connection.execute("PRAGMA foreign_keys = ON")
        if migrate(self._connection) or updated:
            make_private(self.path)

    def _check_version(self) -> None:
        """Refuse a file written by another program or by a newer version of this one."""
        if foreign(self._connection):
            raise StoreError(
                f"{self.path} is a database of another program. Move it away, or set "
                "SANDBOX_TUI_HOME to keep sessions elsewhere."
            )
        if newer := unknown(self._connection):
            raise StoreError(
                f"{self.path} was written by a newer sandbox-tui ({', '.join(newer)}). "
                "Upgrade the program, or set SANDBOX_TUI_HOME to start a new database."
            )

    def _bring_up_to_date(self) -> bool:
        """Migrate a file written by an older version; return whether this program migrated it."""
        if not self._pragma("page_count"):
            self._connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            return False
        if not missing(self._connection):
            return False
        self._check_writable()
        self._check_room()
        with contextlib.suppress(sqlite3.OperationalError):  # other programs have it open
            self._connection.execute("PRAGMA journal_mode = DELETE")  # each page is written once
        updated = migrate(self._connection)
        if updated and self._pragma("page_count") * self._pragma("page_size") <= SMALL_BYTES:
            with contextlib.suppress(sqlite3.OperationalError):  # other programs have it open
                self._connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                self._connection.execute("VACUUM")
        return updated

    def _check_writable(self) -> None:
        """Fail for a read-only file before any other error that stops a migration."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("ROLLBACK")

    def _check_room(self) -> None:
        """Refuse a migration that would fill the disk: every page is rewritten.

        Raises:
            StoreError: there is not enough space.
        """
        needed = self._pragma("page_count") * self._pragma("page_size") * 2
        free = shutil.disk_usage(self.path.parent).free
        if free < needed:
            raise StoreError(
                f"The session database {self.path} was written by an older sandbox-tui. Upgrading "
                f"it needs {_megabytes(needed)} on its disk, which has {_megabytes(free)} free. "
                "Free some space and try again; nothing was changed."
            )

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    def _write_ahead(self) -> None:
        """Switch to a write-ahead log, retrying: SQLite does not wait if two programs switch at
        once."""
        give_up = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = NORMAL")
                self._connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                    raise
            time.sleep(0.005)

    @classmethod
    def open_readonly_if_needed(cls, path: Path) -> Self:
        """Open the database, read-only if its file or folder is: for commands that only read.

        Raises:
            StoreError: it cannot be opened read-only either.
        """
        try:
            return cls(path)
        except StoreError as error:
            if not isinstance(error.__cause__, sqlite3.OperationalError) or not path.exists():
                raise
            for how in ("mode=ro", "mode=ro&immutable=1"):
                try:
                    return cls._open_readonly(path, how)
                except sqlite3.Error:
                    continue
            if not has_log(path):
                raise
        return cls._open_copy_with_log(path)

    @classmethod
    def _open_readonly(cls, path: Path, how: str) -> Self:
        """Open the file without writing to it.

        Raises:
            sqlite3.Error: that is not possible, or it would ignore a log that is not empty.
        """
        if "immutable" in how and has_log(path):
            raise sqlite3.OperationalError("its write-ahead log cannot be read")
        database = cls.__new__(cls)
        database._begin(path, writable=False)
        database._connection = _connect_readonly(path, how)
        try:
            database._check_version()
            if missing(database._connection):
                database._read_migrated_copy()
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def _open_copy_with_log(cls, path: Path) -> Self:
        """Open a private copy of the file and its log.

        Raises:
            StoreError: there is no space for the copy, or the file cannot be read.
        """
        database = cls.__new__(cls)
        database._begin(path, writable=False)
        try:
            copy = copy_with_log(database._private_folder(), path)
            database._read_copy(copy, HAS_LOG)
        except BaseException:
            database._on_close.close()
            raise
        return database

    def _read_migrated_copy(self) -> None:
        """Continue with a private, migrated copy of the file.

        Raises:
            StoreError: there is no space for the copy, or an older program is recording.
        """
        copy = copy_content(self._private_folder(), self._connection, self.path)
        self._connection.close()
        self._read_copy(copy, OLDER)

    def _private_folder(self) -> Path:
        """Return a folder for a copy; closing the database removes it."""
        return Path(self._on_close.enter_context(TemporaryDirectory(prefix="sandbox-tui-")))

    def _read_copy(self, copy: Path, why: str) -> None:
        """Migrate a copy, then read from it."""
        type(self)(copy).close()
        self._connection = _connect_readonly(copy, "mode=ro")
        self.copied_because = why

    # --- reading and writing, used by this package and by the search

    @contextlib.contextmanager
    def transaction(self) -> Generator[sqlite3.Connection, None, None]:
        """Write everything inside the block, or nothing; a nested transaction becomes part of it.

        Raises:
            StoreError: the write failed.
        """
        with self._lock, self._explained():
            if self._connection.in_transaction:  # nested: the lock is already held
                yield self._connection
                return
            self._lock_file()
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[dict[str, Any]]:
        """Return the rows of a query, as dicts.

        Raises:
            StoreError: the database cannot be read.
        """
        with self._lock, self._explained():
            cursor = self._connection.execute(query, parameters)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    @contextlib.contextmanager
    def autocommit(self) -> Generator[sqlite3.Connection, None, None]:
        """Provide the connection outside any transaction, for statements that need that.

        Raises:
            StoreError: a statement failed.
        """
        with self._lock, self._explained():
            yield self._connection

    @contextlib.contextmanager
    def separate_connection(self) -> Generator[sqlite3.Connection, None, None]:
        """Provide a second connection for long operations, which does not block this program's
        threads.

        Raises:
            StoreError: a statement failed.
        """
        with explained(self.path), contextlib.closing(self._connect()) as connection:
            connection.execute("PRAGMA foreign_keys = ON")
            yield connection

    @contextlib.contextmanager
    def _explained(self) -> Generator[None, None, None]:
        """Turn errors into `StoreError`, including those from tables that a newer version has
        changed."""
        try:
            yield
        except EXPLAINED as error:
            raise self._explanation(error) from error

    def _explanation(self, error: Exception) -> StoreError:
        if (
            isinstance(error, (sqlite3.OperationalError, sqlite3.IntegrityError))
            and error.sqlite_errorcode != sqlite3.SQLITE_BUSY
            and self._is_newer()
        ):
            return StoreError(
                f"A newer sandbox-tui has changed {self.path} so this one, which was "
                "already running, can no longer use it. Restart with the newer one."
            )
        return explanation(self.path, error)

    def _is_newer(self) -> bool:
        with contextlib.suppress(sqlite3.Error):
            return version(self._connection) > len(MIGRATIONS)
        return False

    def _lock_file(self) -> None:
        """Start a write as soon as no other program holds the lock."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                self._set_timeout(IMPATIENT_SECONDS)
            raise
        if self._impatient:
            self._set_timeout(BUSY_SECONDS)

    def _set_timeout(self, seconds: float) -> None:
        self._connection.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")
        self._impatient = seconds < BUSY_SECONDS


def _connect_readonly(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}",
        uri=True,
        timeout=BUSY_SECONDS,
        check_same_thread=False,
        isolation_level=None,
    )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
