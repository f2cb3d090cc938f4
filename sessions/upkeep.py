"""Looks after the session database: is it whole, and what does it hold that nothing needs?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..core.errors import StoreError
from .store import Store

_ORPHANS: dict[str, str] = {
    "events of no session": "FROM events WHERE run_id NOT IN (SELECT id FROM runs)",
    "terminal output without its event": "FROM chunks WHERE NOT EXISTS (SELECT 1 FROM events"
    " WHERE events.run_id = chunks.run_id AND events.seq = chunks.seq)",
    "contents of files that no session has": "FROM blobs WHERE NOT EXISTS"
    " (SELECT 1 FROM run_blobs WHERE run_blobs.digest = blobs.digest)",
    "uses of contents by no session": "FROM run_blobs WHERE run_id NOT IN (SELECT id FROM runs)",
    "uses of contents that are missing": "FROM run_blobs WHERE digest NOT IN"
    " (SELECT digest FROM blobs)",
}
"""What nothing needs, or what something lacks; each is counted by `SELECT count(*)`."""

_REMOVABLE = (
    "DELETE FROM run_blobs WHERE run_id NOT IN (SELECT id FROM runs)",
    "DELETE FROM blobs WHERE NOT EXISTS"
    " (SELECT 1 FROM run_blobs WHERE run_blobs.digest = blobs.digest)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found.

    Attributes:
        problems: one sentence each; none when all is well.
        sessions, events, contents: how many there are.
        bytes: size of the file and its log.
        free: bytes of it that hold nothing.
    """

    problems: Sequence[str]
    sessions: int
    events: int
    contents: int
    bytes: int
    free: int


def check(store: Store) -> Report:
    """Examine the whole file; changes nothing.

    Raises:
        StoreError: it cannot be read at all.
    """
    problems = [
        f"SQLite says: {row['quick_check']}" for row in store.rows("PRAGMA quick_check(20)")
    ]
    problems = [problem for problem in problems if problem != "SQLite says: ok"]
    problems += [
        f"{row['table']} has a row of a session that is not there"
        for row in store.rows("PRAGMA foreign_key_check")[:20]
    ]
    for what, rest in _ORPHANS.items():
        count = _count(store, f"SELECT count(*) AS n {rest}")
        if count:
            problems.append(f"{count} {what}")
    problems += _holes(store)
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
    """Sessions whose events are not 1, 2, 3 ... up to the last."""
    rows = store.rows(
        "SELECT runs.id, runs.last_seq, count(seq) AS n, min(seq) AS first, max(seq) AS last"
        " FROM runs LEFT JOIN events ON events.run_id = runs.id GROUP BY runs.id"
        " HAVING n <> runs.last_seq OR coalesce(first, 1) <> 1 OR coalesce(last, 0) <> n LIMIT 20"
    )
    return [
        f"the session {row['id']} should have {row['last_seq']} events and has {row['n']}"
        for row in rows
    ]


def vacuum(store: Store) -> int:
    """Remove what nothing needs and give the space back; returns the bytes that were freed.

    Raises:
        StoreError: the file is in use, read-only, or the disk has no room for the copy it needs.
    """
    before = size(store)
    with store.transaction() as connection:
        for statement in _REMOVABLE:
            connection.execute(statement)
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    with store.alone() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return max(0, before - size(store))


def reclaim(store: Store) -> int:
    """`vacuum`, where it is worth it and nobody else is at the file; else 0.

    Pages that stay free are used again by what is recorded next.
    """
    report = store.rows(
        "SELECT freelist_count AS free, page_count AS pages"
        " FROM pragma_freelist_count, pragma_page_count"
    )[0]
    if report["free"] * 10 < report["pages"]:
        return 0
    try:
        return vacuum(store)
    except StoreError:
        return 0


def room_of(store: Store, run_id: str) -> int:
    """Bytes of what is kept of one session alone, without what the database needs around it."""
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
    *(("events", "body"), ("chunks", "data"), ("keyframes", "data"), ("items", "data")),
    *(("screens", "data"), ("originals", "data"), ("texts", "body"), ("changes", "path")),
)
"""Tables that hold what belongs to a session, each with the column that takes the room."""


def used(store: Store) -> int:
    """Bytes of the file that hold something."""
    return _count(
        store,
        "SELECT (page_count - freelist_count) * page_size AS n"
        " FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
    )


def size(store: Store) -> int:
    """Bytes of the file and its log."""
    paths = (store.path, store.path.with_name(f"{store.path.name}-wal"))
    return sum(path.stat().st_size for path in paths if path.exists())


def _count(store: Store, query: str, *values: object) -> int:
    return int(store.rows(query, values)[0]["n"])
