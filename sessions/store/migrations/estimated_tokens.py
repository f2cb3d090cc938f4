"""Migrations that mark token counts as estimated if the server did not report them.

Replies recorded earlier are not marked.
"""

from __future__ import annotations

from sqlite3 import Connection
from typing import Any

_NAME = "tokens_estimated"
COLUMN = f"{_NAME} INTEGER NOT NULL DEFAULT 0"
"""The column; `steps` gets it earlier if the migration `rows_to_query` is applied with this one."""

_NUMBERS = (
    (
        "uncounted_replies",
        "tokens_estimated",
        "+ (SELECT count(*) FROM events WHERE run_id = runs.id AND kind = 'PartialReplyCounted')",
    ),
    ("counted_replies", "NOT tokens_estimated", ""),
)
"""Each column with a number of replies, which steps it counts, and what is added."""

_VIEWS = {"v_runs": " output_tokens, cost,", "v_steps": " reasoning_tokens, cost,"}
"""Each view, and the part of its SQL where the column goes: before `cost`."""


def estimated_tokens(db: Any) -> None:
    """Add `tokens_estimated` to `runs`, `steps` and their views."""
    connection: Connection = db.conn
    connection.execute(f"ALTER TABLE runs ADD COLUMN {COLUMN}")
    steps = [row[1] for row in connection.execute("PRAGMA table_info(steps)")]
    if _NAME not in steps:
        connection.execute(f"ALTER TABLE steps ADD COLUMN {COLUMN}")
    for view, columns in _VIEWS.items():
        query = "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = ?"
        (sql,) = connection.execute(query, [view]).fetchone()
        connection.execute(f"DROP VIEW {view}")
        connection.execute(sql.replace(columns, columns.replace("cost,", f"{_NAME}, cost,")))


def replies_counted(db: Any) -> None:
    """Add to `runs` how many replies the server counted, and for how many the numbers of tokens
    are estimates."""
    for column, condition, more in _NUMBERS:
        db.conn.execute(f"ALTER TABLE runs ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
        db.conn.execute(
            f"UPDATE runs SET {column} = (SELECT count(*) FROM steps WHERE run_id = runs.id"
            f" AND {condition}) {more}"
        )
