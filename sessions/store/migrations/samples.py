"""The migration that keeps which runs are samples of one task."""

from __future__ import annotations

from typing import Any


def samples(db: Any) -> None:
    """Add `samples` to `runs`: the label that samples of one task share. Runs recorded before it
    have none."""
    db.conn.execute("ALTER TABLE runs ADD COLUMN samples TEXT")
