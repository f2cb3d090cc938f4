"""The session database: appends events, reads them back.

One connection, used by one thread at a time; every public method may be called from any thread.
What `append` has returned from is in the file, whatever happens to the program afterwards.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..core import events as e
from ..core.blobs import digest
from ..core.errors import StoreError
from ..core.processes import Owner
from .blobs import RunBlobs
from .errors import explained
from .packing import pack, unpack
from .schema import foreign, migrate, missing, unknown
from .summary import RunSummary, summary

BUSY_SECONDS = 5.0
"""How long to wait for another program that is writing."""

IMPATIENT_SECONDS = 0.1
"""The same once that was in vain: meanwhile this program's other threads wait as well."""

PAGE = 500
"""Events read at a time."""


class Store:
    """A session database.

    Args:
        path: of the file, made if missing.

    Attributes:
        writable: whether it may be written: False where `to_read` had to open it read-only.

    Raises:
        StoreError: it cannot be opened, is damaged, or was written by a newer version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.writable = True
        self._lock = threading.RLock()
        self._impatient = False
        with explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None
            )
            try:
                self._open()
            except BaseException:
                self._connection.close()
                raise

    def _open(self) -> None:
        self._check_version()
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._write_ahead()
        self._connection.execute("PRAGMA synchronous = NORMAL")
        migrate(self._connection)

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
                "Upgrade the program, or set SANDBOX_TUI_HOME to begin a new database."
            )

    def _write_ahead(self) -> None:
        """Switch to a write-ahead log; SQLite does not wait by itself when two do so at once."""
        give_up = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                    raise
            time.sleep(0.005)

    @classmethod
    def to_read(cls, path: Path) -> Store:
        """The store, read-only where the file or its folder is: for what only looks at sessions.

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
                    return cls._read_only(path, how)
                except sqlite3.Error:
                    continue
            raise

    @classmethod
    def _read_only(cls, path: Path, how: str) -> Store:
        """Open it without writing; a log that cannot be shared is only left out where it is empty.

        Raises:
            sqlite3.Error: that is not possible.
        """
        log = path.with_name(f"{path.name}-wal")
        if "immutable" in how and log.exists() and log.stat().st_size:
            raise sqlite3.OperationalError("there is a log that cannot be read")
        store = cls.__new__(cls)
        store.path, store.writable = path, False
        store._lock = threading.RLock()
        store._impatient = False
        store._connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?{how}",
            uri=True,
            timeout=BUSY_SECONDS,
            check_same_thread=False,
            isolation_level=None,
        )
        try:
            store._check_version()
            if missing(store._connection):
                raise StoreError(
                    f"{path} was written by an older sandbox-tui and is read-only, so that it "
                    "cannot be brought up to date. Copy it to where it may be written."
                )
        except BaseException:
            store._connection.close()
            raise
        return store

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    # --- writing

    def append(self, run_id: str, events: Sequence[e.AnyEvent]) -> None:
        """Add events of one run, all or none of them.

        Raises:
            StoreError: they could not be written.
        """
        if not events:
            return
        with self._transaction():
            for event in events:
                self._append(run_id, event)
            self._connection.execute(
                "UPDATE runs SET last_seq = ?, seconds = ? WHERE id = ?",
                [events[-1].seq, events[-1].t, run_id],
            )

    def _append(self, run_id: str, event: e.AnyEvent) -> None:
        if isinstance(event, e.RunStarted):
            self._begin(run_id, event)
        body: e.AnyEvent = event
        if isinstance(event, e.TerminalOutput):
            packed, data = pack(event.data)
            self._connection.execute(
                "INSERT INTO chunks VALUES (?, ?, ?, ?, ?)",
                [run_id, event.seq, event.terminal, packed, data],
            )
            body = msgspec.structs.replace(event, data=b"")
        packed, data = pack(e.to_json(body))
        self._connection.execute(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)",
            [run_id, event.seq, event.t, event.kind, packed, data],
        )
        self._summarise(run_id, event)

    def _begin(self, run_id: str, event: e.RunStarted) -> None:
        owner = Owner.this_process()
        self._connection.execute(
            "INSERT INTO runs (id, task, model, sandbox, started_at, steps, calls, failed_calls,"
            " input_tokens, output_tokens, seconds, last_seq, parent, parent_seq, owner_pid,"
            " owner_started, owner_host, params)"
            " VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, ?, ?, ?, ?, ?, ?)",
            [
                *(run_id, event.task, event.model, event.sandbox, event.started_at),
                *(event.parent, event.parent_seq, *owner),
                msgspec.json.encode(event.model_params).decode(),
            ],
        )

    def _summarise(self, run_id: str, event: e.AnyEvent) -> None:
        """Keep the run's row up to date, so that a killed run still shows how far it came."""
        execute = self._connection.execute
        match event:
            case e.ModelReplied(usage=usage):
                execute(
                    "UPDATE runs SET steps = ?, input_tokens = input_tokens + ?, output_tokens ="
                    " output_tokens + ?, cost = CASE WHEN ?4 IS NULL THEN cost ELSE"
                    " coalesce(cost, 0) + ?4 END WHERE id = ?5",
                    [event.step, usage.input_tokens, usage.output_tokens, event.cost, run_id],
                )
            case e.CallFinished(ok=ok):
                execute(
                    "UPDATE runs SET calls = calls + 1, failed_calls = failed_calls + ?"
                    " WHERE id = ?",
                    [not ok, run_id],
                )
            case e.FilesListed(files=files):
                self._changes(run_id, event.seq, 0, files)
            case e.FilesChanged(changes=changes):
                self._changes(run_id, event.seq, event.step, changes)
            case e.RunFinished():
                took = event.t + self._away(run_id)
                execute(
                    "UPDATE runs SET reason = ?, error = ?, answer = ?, output = ?,"
                    " ended_at = started_at + ? WHERE id = ?",
                    [event.reason, event.error, event.answer, event.output, took, run_id],
                )
            case _:
                pass

    def _away(self, run_id: str) -> float:
        """Seconds in which a run had no program, which its own clock leaves out."""
        rows = self._rows(
            "SELECT packed, body FROM events WHERE run_id = ? AND kind = 'RunResumed'", [run_id]
        )
        events = (e.from_json(unpack(row["packed"], row["body"])) for row in rows)
        return sum(event.away for event in events if isinstance(event, e.RunResumed))

    def _changes(self, run_id: str, seq: int, step: int, changes: Sequence[e.FileChange]) -> None:
        self._connection.executemany(
            "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(run_id, seq, step, c.path, c.change, c.kind, c.size, c.blob) for c in changes],
        )

    def rename(self, run_id: str, title: str | None) -> None:
        """Give a run a title of its own; None takes it away.

        Raises:
            StoreError: there is no such run, or it could not be written.
        """
        with self._transaction():
            done = self._connection.execute(
                "UPDATE runs SET title = ? WHERE id = ?", [title, run_id]
            )
            if not done.rowcount:
                raise _no_session(run_id)

    def delete(self, run_id: str) -> None:
        """Delete a run, and file contents that no other run has.

        Its snapshots are noted as left over: `sessions.snapshots.clear_left` removes them.

        Raises:
            StoreError: it could not be deleted.
        """
        with self._transaction():
            self._connection.execute(
                "INSERT OR IGNORE INTO snapshots_left SELECT id, sandbox FROM runs WHERE id = ?"
                " AND EXISTS (SELECT 1 FROM events WHERE run_id = id AND kind = 'SnapshotTaken')",
                [run_id],
            )
            self._connection.execute(
                "DELETE FROM blobs WHERE digest IN (SELECT digest FROM run_blobs AS own"
                " WHERE run_id = ?1 AND NOT EXISTS (SELECT 1 FROM run_blobs AS other"
                " WHERE other.digest = own.digest AND other.run_id <> ?1))",
                [run_id],
            )
            self._connection.execute("DELETE FROM run_blobs WHERE run_id = ?", [run_id])
            self._connection.execute("DELETE FROM runs WHERE id = ?", [run_id])

    # --- reading

    def runs(self, limit: int = 100, offset: int = 0) -> list[RunSummary]:
        """Runs, newest first.

        Raises:
            StoreError: the file cannot be read.
        """
        rows = self._rows(
            "SELECT * FROM runs ORDER BY started_at DESC, id DESC LIMIT ? OFFSET ?", [limit, offset]
        )
        return [summary(row) for row in rows]

    def count(self) -> int:
        """How many runs there are.

        Raises:
            StoreError: the file cannot be read.
        """
        return int(self._rows("SELECT count(*) AS n FROM runs", [])[0]["n"])

    def run(self, name: str) -> RunSummary:
        """The run with this id, or the one whose id begins or ends so.

        Raises:
            StoreError: there is none, or more than one.
        """
        rows = self._rows("SELECT * FROM runs WHERE id = ?", [name])
        if not rows:
            rows = self._rows(
                "SELECT * FROM runs WHERE substr(id, 1, length(?1)) = ?1"
                " OR substr(id, -length(?1)) = ?1 ORDER BY id LIMIT 6",
                [name],
            )
        if not rows:
            raise _no_session(name)
        if len(rows) > 1:
            some = ", ".join(str(row["id"]) for row in rows[:5])
            raise StoreError(f"{name!r} fits more than one session: {some}. Type more of the id.")
        return summary(rows[0])

    def events(
        self, run_id: str, *, after: int = 0, until: int | None = None
    ) -> Iterator[e.AnyEvent]:
        """Events with `after` < seq <= `until`, in order, a page at a time.

        Raises:
            StoreError: the file cannot be read.
            EventDecodeError: an event was written by a newer version.
        """
        last = 2**62 if until is None else until
        while True:
            rows = self._rows(
                "SELECT e.seq, e.packed, e.body, c.packed AS chunk_packed, c.data AS chunk"
                " FROM events e LEFT JOIN chunks c ON c.run_id = e.run_id AND c.seq = e.seq"
                " WHERE e.run_id = ? AND e.seq > ? AND e.seq <= ? ORDER BY e.seq LIMIT ?",
                [run_id, after, last, PAGE],
            )
            for row in rows:
                yield self._event(row)
            if len(rows) < PAGE:
                return
            after = int(rows[-1]["seq"])

    def _event(self, row: dict[str, Any]) -> e.AnyEvent:
        with explained(self.path):
            event = e.from_json(unpack(row["packed"], row["body"]))
            if isinstance(event, e.TerminalOutput) and row["chunk"] is not None:
                data = unpack(row["chunk_packed"], row["chunk"])
                return msgspec.structs.replace(event, data=data)
            return event

    def blobs(self, run_id: str) -> RunBlobs:
        """Where the file contents of a run go."""
        return RunBlobs(self, run_id)

    def put_blob(self, run_id: str, data: bytes) -> str:
        """Keep a content for a run; see `core.blobs`."""
        name = digest(data)
        packed, body = pack(data)
        with self._transaction():
            self._connection.execute(
                "INSERT OR IGNORE INTO blobs VALUES (?, ?, ?, ?)", [name, len(data), packed, body]
            )
            self._connection.execute(
                "INSERT OR IGNORE INTO run_blobs VALUES (?, ?)", [run_id, name]
            )
        return name

    def get_blob(self, name: str) -> bytes | None:
        """A content by digest; see `core.blobs`."""
        rows = self._rows("SELECT packed, data FROM blobs WHERE digest = ?", [name])
        with explained(self.path):
            return unpack(rows[0]["packed"], rows[0]["data"]) if rows else None

    # --- for the other files of this package

    @contextlib.contextmanager
    def transaction(self) -> Generator[sqlite3.Connection, None, None]:
        """All that is written inside is written, or nothing; `append` and the like may be inside.

        Raises:
            StoreError: it could not be written.
        """
        with self._transaction():
            yield self._connection

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[dict[str, Any]]:
        """The rows of a query, as dicts.

        Raises:
            StoreError: the file cannot be read.
        """
        return self._rows(query, parameters)

    @contextlib.contextmanager
    def alone(self) -> Generator[sqlite3.Connection, None, None]:
        """The connection outside any transaction, for what SQLite only does there.

        Raises:
            StoreError: it failed.
        """
        with self._lock, explained(self.path):
            yield self._connection

    # --- the file

    @contextlib.contextmanager
    def _transaction(self) -> Generator[None, None, None]:
        with self._lock, explained(self.path):
            if self._connection.in_transaction:  # ours, for the lock is held: a part of it
                yield
                return
            self._begin_alone()
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    def _begin_alone(self) -> None:
        """Begin to write, as soon as no other program does."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                self._wait_for_others(IMPATIENT_SECONDS)
            raise
        if self._impatient:
            self._wait_for_others(BUSY_SECONDS)

    def _wait_for_others(self, seconds: float) -> None:
        self._connection.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")
        self._impatient = seconds < BUSY_SECONDS

    def _rows(self, query: str, parameters: Sequence[object]) -> list[dict[str, Any]]:
        with self._lock, explained(self.path):
            cursor = self._connection.execute(query, parameters)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _no_session(name: str) -> StoreError:
    return StoreError(f"There is no session {name!r}; `sandbox-tui sessions ls` lists them.")
