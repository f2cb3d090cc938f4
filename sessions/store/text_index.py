"""Adds steps and calls to their full-text indexes (FTS5), many at a time.

A transaction that adds one row to such an index writes as many pages as one that adds fifty, and a
call changes twice before it is over. So rows are indexed together: those above the highest row of
the index are yet to be. Triggers index those anew that change later, and take out deleted ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection

from sandbox_tui.core.events import types as e

MAX_UNINDEXED = 64
"""Rows stored by one program that may wait."""

_TABLES = {"steps": "content", "calls": "input, observation"}
"""Tables with such an index, and its columns."""

_ADDS_A_ROW = frozenset({e.ModelReplied, e.CallProposed})


def rows_added(batch: Sequence[e.AnyEvent]) -> int:
    """How many steps and calls the events begin."""
    return sum(type(event) in _ADDS_A_ROW for event in batch)


def is_behind(connection: Connection) -> bool:
    """Whether there are rows to index."""
    for table in _TABLES:
        query = f"SELECT coalesce(max(id), 0) > ({_last(table)}) FROM {table}"
        if connection.execute(query).fetchone()[0]:
            return True
    return False


def catch_up(connection: Connection) -> None:
    """Index what has been stored since, by any program."""
    for table, columns in _TABLES.items():
        connection.execute(
            f"INSERT INTO {table}_fts (rowid, {columns})"
            f" SELECT id, {columns} FROM {table} WHERE id > ({_last(table)}) ORDER BY id"
        )


def _last(table: str) -> str:
    """SQL of the highest row of an index: `..._docsize` is FTS5's own table of its rows."""
    return f"SELECT coalesce(max(id), 0) FROM {table}_fts_docsize"
