"""The session database's file: opened, brought up to date, read and written in transactions.

One connection, used by one thread at a time; every public method may be called from any thread.
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
from sandbox_tui.sessions.store.errors import explained
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
"""Timeout for the lock of another program that writes."""

IMPATIENT_SECONDS = 0.1
"""The same after a timeout: the lock blocks this program's other threads meanwhile."""

CHECKPOINT_PAGES = 4_000
"""Of the write-ahead log, after which they are copied into the file. A run writes the same pages of
the full-text index again and again: fewer checkpoints copy each of them less often."""

SMALL_BYTES = 64 << 20
"""An older file of at most this size is compacted once it has been brought up to date."""


class Database:
    """A session database's file.

    Args:
        path: of the file, made if missing.

    Attributes:
        writable: False where `open_readonly_if_needed` had to open it read-only.
        copied_because: why a private copy is read instead of the file, which may not be written:
            `private_copy.OLDER` or `HAS_LOG`; empty where the file itself is read.

    Raises:
        StoreError: it cannot be opened, is damaged, or was written by a newer version.
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
        """Close the file."""
        with self._lock:
            self._connection.close()
            self._on_close.close()

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
        """Refuse what another program, or a newer version of this one, has written."""
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
        """Migrate a file that an older version wrote; whether this program did."""
        if not self._pragma("page_count"):
            self._connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            return False
        if not missing(self._connection):
            return False
        self._check_writable()
        self._check_room()
        with contextlib.suppress(sqlite3.OperationalError):  # others have it open
            self._connection.execute("PRAGMA journal_mode = DELETE")  # each page is written once
        updated = migrate(self._connection)
        if updated and self._pragma("page_count") * self._pragma("page_size") <= SMALL_BYTES:
            with contextlib.suppress(sqlite3.OperationalError):  # others have it open
                self._connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                self._connection.execute("VACUUM")
        return updated

    def _check_writable(self) -> None:
        """Find out that it is read-only before anything else that stops a migration."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("ROLLBACK")

    def _check_room(self) -> None:
        """Refuse a migration that would fill the disk: every page is rewritten.

        Raises:
            StoreError: there is no room.
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
        """Switch to a write-ahead log; SQLite does not wait when two programs do so at once."""
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
        """Open it, read-only where the file or its folder is: for commands that only read.

        Raises:
            StoreError: it cannot be read either.
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
        """Open it without writing; only an empty log may be left out.

        Raises:
            sqlite3.Error: that is not possible.
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
        """Open a copy of it and of its log.

        Raises:
            StoreError: there is no room for it, or it cannot be read either.
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
        """Go on with a copy of it that is brought up to date.

        Raises:
            StoreError: there is no room for it, or an older program is recording.
        """
        copy = copy_content(self._private_folder(), self._connection, self.path)
        self._connection.close()
        self._read_copy(copy, OLDER)

    def _private_folder(self) -> Path:
        """A folder for a copy, which closing the database removes."""
        return Path(self._on_close.enter_context(TemporaryDirectory(prefix="sandbox-tui-")))

    def _read_copy(self, copy: Path, why: str) -> None:
        """Read a copy, which is brought up to date first."""
        type(self)(copy).close()
        self._connection = _connect_readonly(copy, "mode=ro")
        self.copied_because = why

    # --- reading and writing: for this folder and for the search

    @contextlib.contextmanager
    def transaction(self) -> Generator[sqlite3.Connection, None, None]:
        """Write all that is written inside, or nothing; a transaction inside is a part of it.

        Raises:
            StoreError: it could not be written.
        """
        with self._lock, self._explained():
            if self._connection.in_transaction:  # ours: the lock is held
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
        """The rows of a query, as dicts.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._lock, self._explained():
            cursor = self._connection.execute(query, parameters)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    @contextlib.contextmanager
    def autocommit(self) -> Generator[sqlite3.Connection, None, None]:
        """The connection outside any transaction, for statements that SQLite allows only there.

        Raises:
            StoreError: it failed.
        """
        with self._lock, self._explained():
            yield self._connection

    @contextlib.contextmanager
    def separate_connection(self) -> Generator[sqlite3.Connection, None, None]:
        """Another connection, for what takes long: it blocks no thread of this program.

        Raises:
            StoreError: it failed.
        """
        with explained(self.path), contextlib.closing(self._connect()) as connection:
            connection.execute("PRAGMA foreign_keys = ON")
            yield connection

    @contextlib.contextmanager
    def _explained(self) -> Generator[None, None, None]:
        """Errors as `StoreError`; also of tables that a newer version has changed meanwhile."""
        with explained(self.path):
            try:
                yield
            except (sqlite3.OperationalError, sqlite3.IntegrityError) as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY and self._is_newer():
                    raise StoreError(
                        f"A newer sandbox-tui has changed {self.path} so this one, which was "
                        "already running, can no longer use it. Restart with the newer one."
                    ) from error
                raise

    def _is_newer(self) -> bool:
        with contextlib.suppress(sqlite3.Error):
            return version(self._connection) > len(MIGRATIONS)
        return False

    def _lock_file(self) -> None:
        """Begin to write, as soon as no other program does."""
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
