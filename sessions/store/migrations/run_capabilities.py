"""Migration that adds a cache of meta-capabilities: how the calls of a run are classified."""

from __future__ import annotations

from typing import Any


def run_capabilities(db: Any) -> None:
    """Add the table of the cache."""
    db.conn.execute(
        "CREATE TABLE run_capabilities"
        " (run_id TEXT PRIMARY KEY NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
        " rules INTEGER NOT NULL, last_seq INTEGER NOT NULL, json TEXT NOT NULL) STRICT"
    )
