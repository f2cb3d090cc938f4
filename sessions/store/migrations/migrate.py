"""The version of a database's tables, and the migrations that upgrade an older one.

sqlite-utils applies the migrations and records them in `_migrations`. All missing ones are applied
in one transaction, so that a full disk or a killed program leaves the file unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from sqlite3 import Connection
from typing import Any

from sandbox_tui.sessions.store.migrations.arguments_unescaped import arguments_unescaped
from sandbox_tui.sessions.store.migrations.estimated_tokens import (
    estimated_tokens,
    replies_counted,
)
from sandbox_tui.sessions.store.migrations.evaluations import (
    eval_runs,
    evaluations,
    scoring_seconds,
)
from sandbox_tui.sessions.store.migrations.events_of_rare_kinds import events_of_rare_kinds
from sandbox_tui.sessions.store.migrations.first_versions import RELEASED
from sandbox_tui.sessions.store.migrations.import_sources import import_sources
from sandbox_tui.sessions.store.migrations.run_capabilities import run_capabilities
from sandbox_tui.sessions.store.migrations.samples import sample_numbers, samples
from sandbox_tui.sessions.store.migrations.tables_to_query import (
    create_tables,
    rows_to_query,
    tables_to_query,
)
from sandbox_tui.sessions.store.migrations.texts_indexed_together import texts_indexed_together
from sandbox_tui.sessions.store.migrations.trainings import trainings

APPLICATION_ID = 0x53545549
"""`STUI`, at offset 68 of the file (sqlite.org/fileformat2.html)."""

MIGRATIONS_TABLE = "_migrations"
"""The name comes from the first version; older programs look there for newer migrations."""

_BASELINE: tuple[tuple[str, Callable[[Any], None]], ...] = (
    *RELEASED,
    ("tables_to_query", tables_to_query),
    ("rows_to_query", rows_to_query),
)
"""Migrations that a new file skips: `create_tables` creates their final result."""

MIGRATIONS: tuple[tuple[str, Callable[[Any], None]], ...] = (
    *_BASELINE,
    ("estimated_tokens", estimated_tokens),
    ("evaluations", evaluations),
    ("run_capabilities", run_capabilities),
    ("scoring_seconds", scoring_seconds),
    ("eval_runs", eval_runs),
    ("trainings", trainings),
    ("samples", samples),
    ("events_of_rare_kinds", events_of_rare_kinds),
    ("texts_indexed_together", texts_indexed_together),
    ("sample_numbers", sample_numbers),
    ("arguments_unescaped", arguments_unescaped),
    ("replies_counted", replies_counted),
    ("import_sources", import_sources),
)
"""Name and function of each migration, in order; the function gets a `sqlite_utils.Database`. Never
change a released migration: add another."""


_CACHE_KILOBYTES = 64_000
"""Page cache while tables are copied and indexes are built."""


def applied(connection: Connection) -> list[str]:
    """Return the names of the migrations applied to a database."""
    if MIGRATIONS_TABLE not in _tables(connection):
        return []
    rows = connection.execute(f"SELECT name FROM {MIGRATIONS_TABLE} ORDER BY rowid").fetchall()
    return [str(row[0]) for row in rows]


def foreign(connection: Connection) -> bool:
    """Return whether another program created this database."""
    names = _tables(connection)
    marked = int(connection.execute("PRAGMA application_id").fetchone()[0])
    return bool(names) and (MIGRATIONS_TABLE not in names or marked not in (0, APPLICATION_ID))


def unknown(connection: Connection) -> list[str]:
    """Return the applied migrations that only a newer version of the program has."""
    known = {name for name, _ in MIGRATIONS}
    return [name for name in applied(connection) if name not in known]


def missing(connection: Connection) -> list[str]:
    """Return the migrations not yet applied to a database."""
    done = set(applied(connection))
    return [name for name, _ in MIGRATIONS if name not in done]


def version(connection: Connection) -> int:
    """Return the number of migrations applied to a database, as stored in its header; cheap to
    read."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: Connection) -> bool:
    """Apply the missing migrations: all of them or, after an error, none.

    Returns:
        Whether this program applied any.
    """
    if not missing(connection):
        return False
    # takes a tenth of a second, so only if there is something to apply
    from sandbox_tui.sessions.store.migrations.import_sqlite_utils import import_sqlite_utils

    db = import_sqlite_utils().Database(connection, recursive_triggers=False)
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KILOBYTES}")
    connection.execute("BEGIN IMMEDIATE")
    try:
        names = missing(connection)  # another program may have applied them meanwhile
        if names:
            _apply(db, connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("PRAGMA cache_size = -2000")  # SQLite's default
    return bool(names)


def _apply(db: Any, connection: Connection) -> None:
    from sqlite_utils.migrations import Migrations

    new = not _tables(connection)
    _adopt(connection)
    migrations = Migrations("sandbox-tui")
    migrations.migrations_table = MIGRATIONS_TABLE
    for name, migration in MIGRATIONS:
        migrations(name=name)(migration)
    if new:
        create_tables(db)
        migrations.ensure_migrations_table(db)
        connection.executemany(
            f"INSERT INTO {MIGRATIONS_TABLE} (migration_set, name, applied_at)"
            f" VALUES ('{migrations.name}', ?, strftime('%Y-%m-%dT%H:%M:%fZ'))",
            [(name,) for name, _ in _BASELINE],
        )
    migrations.apply(db)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _adopt(connection: Connection) -> None:
    """Give the record of migrations from older versions the columns that sqlite-utils expects."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({MIGRATIONS_TABLE})")]
    if not columns or "migration_set" in columns:
        return
    for statement in (
        f"ALTER TABLE {MIGRATIONS_TABLE} RENAME TO _before",
        f"CREATE TABLE {MIGRATIONS_TABLE}"
        " (id INTEGER PRIMARY KEY, migration_set TEXT, name TEXT, applied_at TEXT)",
        f"CREATE UNIQUE INDEX idx_{MIGRATIONS_TABLE}_migration_set_name"
        f" ON {MIGRATIONS_TABLE} (migration_set, name)",
        f"INSERT INTO {MIGRATIONS_TABLE} (migration_set, name, applied_at)"
        " SELECT 'sandbox-tui', name, applied_at FROM _before ORDER BY rowid",
        "DROP TABLE _before",
    ):
        connection.execute(statement)


def _tables(connection: Connection) -> set[str]:
    return {
        str(row[0])
        for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
