"""Integrity check and garbage collection for the session database."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from sqlite3 import Connection

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.sessions.store.migrations.tables_to_query import INDEXED
from sandbox_tui.sessions.store.private_copy import log_of
from sandbox_tui.sessions.store.store import Store

_ORPHANS: dict[str, str] = {
    "events without a session": "FROM events WHERE run_id NOT IN (SELECT id FROM runs)",
    "terminal output without its event": "FROM terminal_output AS o WHERE NOT EXISTS (SELECT 1"
    " FROM events WHERE events.run_id = o.run_id AND events.seq = o.seq)",
    "file contents that no session uses": "FROM blobs WHERE NOT EXISTS"
    " (SELECT 1 FROM run_blobs WHERE run_blobs.digest = blobs.digest)",
    "references to file contents without a session": "FROM run_blobs WHERE run_id NOT IN"
    " (SELECT id FROM runs)",
    "references to file contents that are missing": "FROM run_blobs WHERE digest NOT IN"
    " (SELECT digest FROM blobs)",
}
"""Orphaned and missing rows: description, and the rest of a `SELECT count(*)` that finds them."""

_UNUSED = (
    ("run_blobs", "run_id, digest", "run_id NOT IN (SELECT id FROM runs)"),
    (
        "blobs",
        "digest",
        "NOT EXISTS (SELECT 1 FROM run_blobs WHERE run_blobs.digest = blobs.digest)",
    ),
)
"""Orphaned rows to delete: table, key, and condition."""

MAX_ROWS = 100
"""Maximum number of rows deleted in one transaction."""

PAGES_PER_SLICE = 128
"""Pages freed or merged in one transaction: half a megabyte."""

MAX_REWRITE_BYTES = 64 << 20
"""Up to this size, a file without incremental vacuum is rewritten after a deletion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Result of an integrity check.

    Attributes:
        problems: one sentence each; empty if the file is intact.
        sessions, events, contents: counts.
        bytes: size of the file and its log.
        free: bytes of unused pages.
    """

    problems: Sequence[str]
    sessions: int
    events: int
    contents: int
    bytes: int
    free: int


def check(store: Store) -> Report:
    """Check the whole file without changing it.

    Raises:
        StoreError: the file cannot be read at all.
    """
    problems = [
        f"SQLite says: {row['quick_check']}" for row in store.rows("PRAGMA quick_check(20)")
    ]
    problems = [problem for problem in problems if problem != "SQLite says: ok"]
    problems += [
        f"{row['table']} has a row of a session that does not exist"
        for row in store.rows("PRAGMA foreign_key_check")[:20]
    ]
    for description, clause in _ORPHANS.items():
        count = _count(store, f"SELECT count(*) AS n {clause}")
        if count:
            problems.append(f"{count} {description}")
    problems += _holes(store)
    problems += _unreadable(store)
    pages = _count(store, "SELECT freelist_count AS n FROM pragma_freelist_count")
    page = _count(store, "SELECT page_size AS n FROM pragma_page_size")
    return Report(
        problems=problems,
        sessions=_count(store, "SELECT count(*) AS n FROM runs"),
        events=_count(store, "SELECT count(*) AS n FROM events"),
        contents=_count(store, "SELECT count(*) AS n FROM blobs"),
        bytes=size(store),
        free=pages * page,
    )


def _holes(store: Store) -> list[str]:
    """Return problems of sessions whose events are not numbered 1, 2, 3 ... without gaps."""
    rows = store.rows(
        "SELECT runs.id, runs.last_seq, count(seq) AS n, min(seq) AS first, max(seq) AS last"
        " FROM runs LEFT JOIN events ON events.run_id = runs.id GROUP BY runs.id"
        " HAVING n <> runs.last_seq OR coalesce(first, 1) <> 1 OR coalesce(last, 0) <> n LIMIT 20"
    )
    return [
        f"the session {row['id']} should have {row['last_seq']} events and has {row['n']}"
        for row in rows
    ]


def _unreadable(store: Store) -> list[str]:
    """Return problems of sessions with events that cannot be decoded."""
    problems: list[str] = []
    for row in store.rows("SELECT id FROM runs ORDER BY started_at"):
        try:
            for _ in store.events(row["id"]):
                pass
        except (SandboxTuiError, zlib.error) as error:
            problems.append(f"the session {row['id']} has an event that cannot be read: {error}")
    return problems[:20]


def vacuum(store: Store) -> int:
    """Delete orphaned rows and shrink the file; return the bytes freed.

    Works in slices, so that neither the screen nor any recording waits for long.

    Raises:
        StoreError: the file is in use or read-only. Or it was created by an older version, so it
            has to be rewritten, but a session is being recorded or there is no space for a copy.
    """
    before = _length(store)
    with store.separate_connection() as connection:
        _remove_unused(connection)
        _merge_indexes(connection)
        if _gives_back(connection):
            _give_back(connection)
        else:
            _rewrite(store, connection)
        _checkpoint(connection)
    return max(0, before - _length(store))


def reclaim(store: Store) -> int:
    """Shrink the file if that is worthwhile and blocks nothing; return the bytes freed.

    Later recordings use the free pages that remain.
    """
    before = _length(store)
    try:
        with store.separate_connection() as connection:
            pages = _pragma(connection, "page_count")
            if _pragma(connection, "freelist_count") * 10 < pages:
                return 0
            if _gives_back(connection):
                _give_back(connection)
            elif pages * _pragma(connection, "page_size") <= MAX_REWRITE_BYTES:
                _rewrite(store, connection)
            _checkpoint(connection)
    except StoreError:
        pass
    return max(0, before - _length(store))


def _remove_unused(connection: Connection) -> None:
    """Find unused rows without a lock, then delete a few at a time."""
    for table, key, unused in _UNUSED:
        found = connection.execute(f"SELECT {key} FROM {table} WHERE {unused}").fetchall()
        marks = " AND ".join(f"{name} = ?" for name in key.split(", "))
        for first in range(0, len(found), MAX_ROWS):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                f"DELETE FROM {table} WHERE {marks} AND {unused}",
                found[first : first + MAX_ROWS],
            )
            connection.execute("COMMIT")


def _merge_indexes(connection: Connection) -> None:
    """Optimize the full-text indexes in steps (https://www.sqlite.org/fts5.html, section 6.8)."""
    for table in INDEXED:
        pages = -PAGES_PER_SLICE
        while True:
            before = connection.total_changes
            connection.execute(
                f"INSERT INTO {table}_fts ({table}_fts, rank) VALUES ('merge', ?)", [pages]
            )
            if connection.total_changes - before < 2:
                break
            pages = PAGES_PER_SLICE
            rest(0.0)


def _gives_back(connection: Connection) -> bool:
    """Return whether the file was created with incremental vacuum."""
    return _pragma(connection, "auto_vacuum") == 2


def _give_back(connection: Connection) -> None:
    left = _pragma(connection, "freelist_count")
    while left:
        began = time.monotonic()
        connection.executescript(f"PRAGMA incremental_vacuum({PAGES_PER_SLICE})")
        rest(time.monotonic() - began)
        before, left = left, _pragma(connection, "freelist_count")
        if left >= before:  # other programs use pages as fast as they are freed
            return


def rest(seconds: float) -> None:
    """Sleep for as long as the slice took, so that other writers get the lock."""
    time.sleep(max(0.001, seconds))


def _rewrite(store: Store, connection: Connection) -> None:
    """Rewrite the file with incremental vacuum enabled."""
    rows = store.rows("SELECT id FROM runs WHERE finish_reason IS NULL")
    for row in rows:
        if store.run(row["id"]).outcome == "running":
            raise StoreError(
                f"{store.path} was made by an older sandbox-tui, so it has to be rewritten. That "
                f"would block {row['id']}, which is being recorded: wait until it ends."
            )
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("VACUUM")


def _checkpoint(connection: Connection) -> None:
    """Truncate the log, and with it the file; an active reader postpones this."""
    connection.execute("PRAGMA busy_timeout = 100")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _pragma(connection: Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def bytes_of_run(store: Store, run_id: str) -> int:
    """Return the bytes of the values that belong only to this session."""
    parts = [
        f"SELECT sum(length({column})) AS n FROM {table} WHERE run_id = ?1"
        for table, column in _BODIES
    ]
    parts.append(
        "SELECT sum(length(data)) AS n FROM blobs JOIN run_blobs AS own USING (digest)"
        " WHERE own.run_id = ?1 AND NOT EXISTS (SELECT 1 FROM run_blobs AS other"
        " WHERE other.digest = own.digest AND other.run_id <> ?1)"
    )
    return _count(
        store, f"SELECT coalesce(sum(n), 0) AS n FROM ({' UNION ALL '.join(parts)})", run_id
    )


_BODIES = (
    *(("events", "json"), ("terminal_output", "data"), ("file_changes", "path")),
    *(("keyframes", "data"), ("keyframe_items", "data"), ("keyframe_screens", "data")),
    *(("source_documents", "data"), ("steps", "text"), ("steps", "reasoning")),
    *(("calls", "arguments"), ("calls", "observation"), ("messages", "text")),
)
"""Tables with rows of a session, each with its largest column."""


def used(store: Store) -> int:
    """Return the bytes of the pages in use."""
    return _count(
        store,
        "SELECT (page_count - freelist_count) * page_size AS n"
        " FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
    )


def size(store: Store) -> int:
    """Return the bytes of the file and its log."""
    paths = (store.path, log_of(store.path))
    return sum(path.stat().st_size for path in paths if path.exists())


def _length(store: Store) -> int:
    """Return the size of the file in bytes after a checkpoint."""
    return _count(
        store, "SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size"
    )


def _count(store: Store, query: str, *values: object) -> int:
    return int(store.rows(query, values)[0]["n"])
