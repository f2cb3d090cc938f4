"""Migration that records which runs are samples of one task."""

from __future__ import annotations

from typing import Any


def samples(db: Any) -> None:
    """Add `samples` to `runs`: the label that samples of one task share. It is NULL for runs
    recorded earlier."""
    db.conn.execute("ALTER TABLE runs ADD COLUMN samples TEXT")
