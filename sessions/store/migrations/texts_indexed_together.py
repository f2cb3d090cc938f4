"""The migration to full-text indexes of steps and calls that take in many rows at a time."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Any

_TEXTS = {
    "steps": (("content",), "text, reasoning"),
    "calls": (("input", "observation"), "arguments, proposed_arguments, observation"),
}
"""Tables, each with the columns of its index and those that these are made of."""


def texts_indexed_together(db: Any) -> None:
    """Let triggers only take rows out of the index, or index them anew: `text_index` adds them."""
    connection: Connection = db.conn
    for table, (indexed, made_of) in _TEXTS.items():
        columns = ", ".join(indexed)
        old, new = (", ".join(f"{row}.{name}" for name in indexed) for row in ("old", "new"))
        index = f"{table}_fts"
        is_indexed = f"WHEN EXISTS (SELECT 1 FROM {index}_docsize WHERE id = old.id)"
        take_out = (
            f"INSERT INTO {index} ({index}, rowid, {columns}) VALUES ('delete', old.id, {old});"
        )
        put_in = f"INSERT INTO {index} (rowid, {columns}) VALUES (new.id, {new});"
        for name in ("ai", "ad", "au"):
            connection.execute(f"DROP TRIGGER {table}_{name}")
        connection.execute(
            f"CREATE TRIGGER {table}_ad AFTER DELETE ON {table} {is_indexed} BEGIN {take_out} END"
        )
        connection.execute(
            f"CREATE TRIGGER {table}_au AFTER UPDATE OF {made_of} ON {table} {is_indexed}"
            f" BEGIN {take_out} {put_in} END"
        )
