"""File changes of a run, read from the table `file_changes`."""

from __future__ import annotations

from typing import NamedTuple

from sandbox_tui.sessions.store.database import Database


class FileChangeRow(NamedTuple):
    """A change of one path.

    Attributes:
        seq: number of the event that reports it.
        step: the step it is attributed to.
        path: absolute.
        change: created, modified or deleted.
        kind: file, dir, link or other.
        size: bytes.
        digest: of the content; None if it was not stored.
    """

    seq: int
    step: int
    path: str
    change: str
    kind: str
    size: int
    digest: str | None


_COLUMNS = ", ".join(FileChangeRow._fields)


def changes_of(database: Database, run_id: str) -> list[FileChangeRow]:
    """Return all file changes of a run, in order."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM file_changes WHERE run_id = ? ORDER BY seq, rowid", [run_id]
    )
    return [FileChangeRow(**row) for row in rows]


def history_of(
    database: Database, run_id: str, path: str, first: int, last: int
) -> list[FileChangeRow]:
    """Return changes of one path with `first` <= seq <= `last`, in order."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM file_changes WHERE run_id = ? AND path = ?"
        " AND seq >= ? AND seq <= ? ORDER BY seq, rowid",
        [run_id, path, first, last],
    )
    return [FileChangeRow(**row) for row in rows]


def next_changes(database: Database, run_id: str, after: int, most: int) -> list[int]:
    """Return the numbers of the next events that changed files, at most so many."""
    rows = database.rows(
        "SELECT DISTINCT seq FROM file_changes WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?",
        [run_id, after, most],
    )
    return [int(row["seq"]) for row in rows]
