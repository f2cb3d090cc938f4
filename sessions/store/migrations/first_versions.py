"""Migrations up to the one that created the present tables. They are released: never change
them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _first_tables(db: Any) -> None:
    table = db["runs"]
    table.create(
        {
            "id": str,
            "task": str,
            "model": str,
            "sandbox": str,
            "started_at": float,
            "reason": str,
            "error": str,
            "answer": str,
            "output": str,
            "steps": int,
            "calls": int,
            "failed_calls": int,
            "input_tokens": int,
            "output_tokens": int,
            "cost": float,
            "seconds": float,
            "last_seq": int,
            "parent": str,
            "parent_seq": int,
            "owner_pid": int,
            "owner_started": str,
            "owner_host": str,
        },
        pk="id",
        not_null={"id", "task", "started_at", "last_seq"},
    )
    table.create_index(["started_at"])
    for statement in (
        "CREATE TABLE events (run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
        " seq INTEGER NOT NULL, t REAL NOT NULL, kind TEXT NOT NULL, packed INTEGER NOT NULL,"
        " body BLOB NOT NULL, PRIMARY KEY (run_id, seq)) WITHOUT ROWID",
        "CREATE TABLE chunks (run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
        " seq INTEGER NOT NULL, terminal TEXT NOT NULL, packed INTEGER NOT NULL,"
        " data BLOB NOT NULL, PRIMARY KEY (run_id, seq)) WITHOUT ROWID",
        "CREATE TABLE changes (run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
        " seq INTEGER NOT NULL, step INTEGER NOT NULL, path TEXT NOT NULL, change TEXT NOT NULL,"
        " kind TEXT NOT NULL, size INTEGER NOT NULL, digest TEXT)",
        "CREATE INDEX changes_of_run ON changes (run_id, seq)",
        "CREATE TABLE blobs (digest TEXT PRIMARY KEY, size INTEGER NOT NULL,"
        " packed INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID",
        "CREATE TABLE run_blobs (run_id TEXT NOT NULL, digest TEXT NOT NULL,"
        " PRIMARY KEY (run_id, digest)) WITHOUT ROWID",
        "CREATE TABLE keyframes (run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
        " seq INTEGER NOT NULL, kind TEXT NOT NULL, data BLOB NOT NULL,"
        " PRIMARY KEY (run_id, seq, kind)) WITHOUT ROWID",
    ):
        db.execute(statement)


def _titles_and_ends(db: Any) -> None:
    for statement in (
        "ALTER TABLE runs ADD COLUMN title TEXT",
        "ALTER TABLE runs ADD COLUMN params TEXT",
        "ALTER TABLE runs ADD COLUMN ended_at REAL",
        "CREATE INDEX runs_of_blob ON run_blobs (digest)",
    ):
        db.execute(statement)


def _finding_and_sharing(db: Any) -> None:
    """Add tags, notes, the full-text index, and the documents that sessions were imported from."""
    run = "run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE"
    for statement in (
        f"CREATE TABLE tags ({run}, tag TEXT NOT NULL, PRIMARY KEY (run_id, tag)) WITHOUT ROWID",
        f"CREATE TABLE notes (id INTEGER PRIMARY KEY, {run}, step INTEGER NOT NULL,"
        " text TEXT NOT NULL, written_at REAL NOT NULL)",
        "CREATE INDEX notes_of_run ON notes (run_id, step)",
        "CREATE TABLE originals (run_id TEXT PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE,"
        " format TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, packed INTEGER NOT NULL,"
        " data BLOB NOT NULL)",
        f"CREATE TABLE texts (id INTEGER PRIMARY KEY, {run}, seq INTEGER NOT NULL,"
        " step INTEGER NOT NULL, kind TEXT NOT NULL, tool TEXT, body TEXT NOT NULL)",
        "CREATE INDEX texts_of_run ON texts (run_id, seq)",
        "CREATE TABLE indexed (run_id TEXT PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE,"
        " seq INTEGER NOT NULL, step INTEGER NOT NULL)",
        "CREATE VIRTUAL TABLE words USING fts5 (body, content='texts', content_rowid='id',"
        " tokenize='unicode61 remove_diacritics 2')",
        "CREATE TRIGGER texts_added AFTER INSERT ON texts BEGIN"
        " INSERT INTO words (rowid, body) VALUES (new.id, new.body); END",
        "CREATE TRIGGER texts_deleted AFTER DELETE ON texts BEGIN"
        " INSERT INTO words (words, rowid, body) VALUES ('delete', old.id, old.body); END",
    ):
        db.execute(statement)


def _keyframes(db: Any) -> None:
    """Add the tables of keyframes."""
    run = "run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE"
    for statement in (
        "DELETE FROM keyframes",
        "CREATE INDEX keyframes_of_kind ON keyframes (run_id, kind, seq)",
        f"CREATE TABLE items ({run}, item INTEGER NOT NULL, seq INTEGER NOT NULL,"
        " kind TEXT NOT NULL, number INTEGER, packed INTEGER NOT NULL, data BLOB NOT NULL,"
        " PRIMARY KEY (run_id, item, seq)) WITHOUT ROWID",
        "CREATE INDEX items_by_number ON items (run_id, kind, number, item, seq)",
        f"CREATE TABLE screens ({run}, terminal TEXT NOT NULL, born INTEGER NOT NULL,"
        " seq INTEGER NOT NULL, scrolled INTEGER NOT NULL, history INTEGER NOT NULL,"
        " data BLOB NOT NULL, PRIMARY KEY (run_id, terminal, born, seq)) WITHOUT ROWID",
        "CREATE INDEX screens_by_line ON screens (run_id, terminal, born, scrolled, seq)",
        f"CREATE TABLE landmarks ({run}, seq INTEGER NOT NULL, t REAL NOT NULL,"
        " kind TEXT NOT NULL, step INTEGER NOT NULL, PRIMARY KEY (run_id, seq)) WITHOUT ROWID",
        "CREATE INDEX changes_of_path ON changes (run_id, path, seq)",
    ):
        db.execute(statement)


def _forks_and_snapshots(db: Any) -> None:
    """Add the origin of a session, and the deleted sessions whose snapshots still exist."""
    for statement in (
        "ALTER TABLE runs ADD COLUMN imported INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX runs_of_parent ON runs (parent)",
        "CREATE TABLE snapshots_left (run_id TEXT PRIMARY KEY) WITHOUT ROWID",
    ):
        db.execute(statement)


def _snapshots_left_where(db: Any) -> None:
    """Add the kind of sandbox: snapshots of an embedded one are removed without an engine."""
    db.execute("ALTER TABLE snapshots_left ADD COLUMN sandbox TEXT NOT NULL DEFAULT 'docker'")


def _events_by_kind(db: Any) -> None:
    """Do nothing: this created an index that a later migration replaces."""


RELEASED: tuple[tuple[str, Callable[[Any], None]], ...] = (
    ("first_tables", _first_tables),
    ("titles_and_ends", _titles_and_ends),
    ("finding_and_sharing", _finding_and_sharing),
    ("keyframes", _keyframes),
    ("forks_and_snapshots", _forks_and_snapshots),
    ("snapshots_left_where", _snapshots_left_where),
    ("events_by_kind", _events_by_kind),
)
"""Name and function of each migration, in order."""
