"""The database's tables, as named migrations that are applied in order, each in a transaction.

Migrations get a `sqlite_utils.Database`; that library is imported only where there is one to apply.
"""

from __future__ import annotations

from collections.abc import Callable
from sqlite3 import Connection
from typing import Any

MIGRATIONS_TABLE = "_migrations"


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
    """Tags, notes, the index of all text, and the documents that sessions were imported from."""
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
    """What keyframes are made of; see the module `keyframes`."""
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
    """Where a session comes from, and deleted ones whose snapshots could not be removed yet."""
    for statement in (
        "ALTER TABLE runs ADD COLUMN imported INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX runs_of_parent ON runs (parent)",
        "CREATE TABLE snapshots_left (run_id TEXT PRIMARY KEY) WITHOUT ROWID",
    ):
        db.execute(statement)


def _snapshots_left_where(db: Any) -> None:
    """Those of an embedded sandbox are on this machine: no engine has to answer for them."""
    db.execute("ALTER TABLE snapshots_left ADD COLUMN sandbox TEXT NOT NULL DEFAULT 'docker'")


MIGRATIONS: tuple[tuple[str, Callable[[Any], None]], ...] = (
    ("first_tables", _first_tables),
    ("titles_and_ends", _titles_and_ends),
    ("finding_and_sharing", _finding_and_sharing),
    ("keyframes", _keyframes),
    ("forks_and_snapshots", _forks_and_snapshots),
    ("snapshots_left_where", _snapshots_left_where),
)
"""Never change one that was released: add another."""


def applied(connection: Connection) -> list[str]:
    """Names of the migrations a database has had."""
    if MIGRATIONS_TABLE not in _tables(connection):
        return []
    rows = connection.execute(f"SELECT name FROM {MIGRATIONS_TABLE} ORDER BY rowid").fetchall()
    return [str(row[0]) for row in rows]


def foreign(connection: Connection) -> bool:
    """Whether another program made this database."""
    names = _tables(connection)
    return bool(names) and MIGRATIONS_TABLE not in names


def unknown(connection: Connection) -> list[str]:
    """Migrations a newer version of the program has applied."""
    known = {name for name, _ in MIGRATIONS}
    return [name for name in applied(connection) if name not in known]


def missing(connection: Connection) -> list[str]:
    """Migrations that a database has not had yet."""
    done = set(applied(connection))
    return [name for name, _ in MIGRATIONS if name not in done]


def migrate(connection: Connection) -> None:
    """Apply what is missing; all of it or, after an error, nothing of the step that failed."""
    wanted = missing(connection)
    if not wanted:
        return
    from sqlite_utils import Database

    db = Database(connection)
    for name, migration in MIGRATIONS:
        if name not in wanted:
            continue
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(
                f"CREATE TABLE IF NOT EXISTS {MIGRATIONS_TABLE}"
                " (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)"
            )
            if name not in applied(connection):  # another program may have been faster
                migration(db)
                connection.execute(
                    f"INSERT INTO {MIGRATIONS_TABLE} VALUES (?, strftime('%Y-%m-%dT%H:%M:%fZ'))",
                    [name],
                )
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _tables(connection: Connection) -> set[str]:
    return {
        str(row[0])
        for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
