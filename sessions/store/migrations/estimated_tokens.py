"""Migration that marks token counts as estimated if the server did not report them.

Replies recorded earlier are not marked.
"""

from __future__ import annotations

from sqlite3 import Connection
from typing import Any

_COLUMN = "tokens_estimated"
_VIEWS = {"v_runs": " output_tokens, cost,", "v_steps": " reasoning_tokens, cost,"}
"""Each view, and the part of its SQL where the column goes: before `cost`."""


def estimated_tokens(db: Any) -> None:
    """Add `tokens_estimated` to `runs`, `steps` and their views."""
    connection: Connection = db.conn
    for table in ("runs", "steps"):
        connection.execute(f"ALTER TABLE {table} ADD COLUMN {_COLUMN} INTEGER NOT NULL DEFAULT 0")
    for view, columns in _VIEWS.items():
        query = "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = ?"
        (sql,) = connection.execute(query, [view]).fetchone()
        connection.execute(f"DROP VIEW {view}")
        connection.execute(sql.replace(columns, columns.replace("cost,", f"{_COLUMN}, cost,")))
