"""The migration to remembered meta-capabilities: which calls of a run count as which."""

from __future__ import annotations

from typing import Any


def run_capabilities(db: Any) -> None:
    """Add their table."""
    db.conn.execute(
        "CREATE TABLE run_capabilities"
        " (run_id TEXT PRIMARY KEY NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
        " rules INTEGER NOT NULL, last_seq INTEGER NOT NULL, json TEXT NOT NULL) STRICT"
    )
