"""Adds steps and calls to their full-text indexes (FTS5), many at a time.

A transaction that adds one row to such an index writes as many pages as one that adds fifty, and a
call changes twice before it is over. Rows are therefore indexed in batches: those above the highest
indexed row are still missing. Triggers reindex rows that change later and remove deleted ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection

from sandbox_tui.core.events import types as e

MAX_UNINDEXED = 256
"""Maximum number of rows that one program stores before it indexes them."""

_TABLES = {"steps": "content", "calls": "input, observation"}
"""Tables with a full-text index, and its columns."""

_ADDS_A_ROW = frozenset({e.ModelReplied, e.CallProposed})


def rows_added(batch: Sequence[e.AnyEvent]) -> int:
    """Return the number of steps and calls that the events add."""
    return sum(type(event) in _ADDS_A_ROW for event in batch)


def is_behind(connection: Connection) -> bool:
    """Return whether there are rows to index."""
    for table in _TABLES:
        query = f"SELECT coalesce(max(id), 0) > ({_last(table)}) FROM {table}"
        if connection.execute(query).fetchone()[0]:
            return True
    return False


def catch_up(connection: Connection) -> None:
    """Index all missing rows, whichever program stored them."""
    for table, columns in _TABLES.items():
        connection.execute(
            f"INSERT INTO {table}_fts (rowid, {columns})"
            f" SELECT id, {columns} FROM {table} WHERE id > ({_last(table)}) ORDER BY id"
        )


def _last(table: str) -> str:
    """Return SQL for the highest row of an index; FTS5 lists its rows in `..._docsize`."""
    return f"SELECT coalesce(max(id), 0) FROM {table}_fts_docsize"
