"""Migration that lets rows be added to the full-text indexes of steps and calls in batches."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Any

_TEXTS = {
    "steps": (("content",), "text, reasoning"),
    "calls": (("input", "observation"), "arguments, proposed_arguments, observation"),
}
"""For each table: the columns of its index, and the columns they are computed from."""


def texts_indexed_together(db: Any) -> None:
    """Let the triggers only remove and reindex rows; `text_index` adds new ones."""
    connection: Connection = db.conn
    for table, (indexed, sources) in _TEXTS.items():
        columns = ", ".join(indexed)
        old, new = (", ".join(f"{row}.{name}" for name in indexed) for row in ("old", "new"))
        index = f"{table}_fts"
        is_indexed = f"WHEN EXISTS (SELECT 1 FROM {index}_docsize WHERE id = old.id)"
        remove = (
            f"INSERT INTO {index} ({index}, rowid, {columns}) VALUES ('delete', old.id, {old});"
        )
        add = f"INSERT INTO {index} (rowid, {columns}) VALUES (new.id, {new});"
        for name in ("ai", "ad", "au"):
            connection.execute(f"DROP TRIGGER {table}_{name}")
        connection.execute(
            f"CREATE TRIGGER {table}_ad AFTER DELETE ON {table} {is_indexed} BEGIN {remove} END"
        )
        connection.execute(
            f"CREATE TRIGGER {table}_au AFTER UPDATE OF {sources} ON {table} {is_indexed}"
            f" BEGIN {remove} {add} END"
        )
