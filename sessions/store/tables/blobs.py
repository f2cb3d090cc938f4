"""File contents of runs, each stored once under its digest."""

from __future__ import annotations

from sqlite3 import Connection
from typing import TYPE_CHECKING

from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.sessions.store.compression import compress, decompress
from sandbox_tui.sessions.store.database import Database
from sandbox_tui.sessions.store.errors import explained

if TYPE_CHECKING:
    from sandbox_tui.sessions.store.store import Store


class RunBlobs:
    """The file contents of one run; see `core.base.blob_store`."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run_id = run_id

    def put(self, data: bytes) -> str:
        """Store a content; return its digest."""
        return self._store.put_blob(self._run_id, data)

    def get(self, name: str) -> bytes | None:
        """Return a content by its digest; None if it is not stored."""
        return self._store.get_blob(name)


def insert(connection: Connection, data: bytes) -> str:
    """Store a content unless it exists; return its digest."""
    name = digest(data)
    compressed, body = compress(data)
    connection.execute(
        "INSERT OR IGNORE INTO blobs (digest, size, compressed, data) VALUES (?, ?, ?, ?)",
        [name, len(data), compressed, body],
    )
    return name


def add_reference(connection: Connection, run_id: str, name: str) -> bool:
    """Record that a run has a content; return False if the run is not stored yet."""
    if connection.execute("SELECT 1 FROM runs WHERE id = ?", [run_id]).fetchone() is None:
        return False
    connection.execute(
        "INSERT OR IGNORE INTO run_blobs (run_id, digest) SELECT ?, digest FROM blobs"
        " WHERE digest = ?",
        [run_id, name],
    )
    return True


def copy_blob_references(connection: Connection, run_id: str, parent: str) -> None:
    """Record that a run has all contents of another."""
    connection.execute(
        "INSERT OR IGNORE INTO run_blobs (run_id, digest)"
        " SELECT ?, digest FROM run_blobs WHERE run_id = ?",
        [run_id, parent],
    )


def read(database: Database, name: str) -> bytes | None:
    """Return a content by its digest; None if it is not stored."""
    rows = database.rows("SELECT compressed, data FROM blobs WHERE digest = ?", [name])
    with explained(database.path):
        return decompress(rows[0]["compressed"], rows[0]["data"]) if rows else None
