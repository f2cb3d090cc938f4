"""Migrations that record which runs are samples of one task, and their numbers."""

from __future__ import annotations

from typing import Any


def samples(db: Any) -> None:
    """Add `samples` to `runs`: the label that samples of one task share. It is NULL for runs
    recorded earlier."""
    db.conn.execute("ALTER TABLE runs ADD COLUMN samples TEXT")


def sample_numbers(db: Any) -> None:
    """Add `sample` to `runs`: a sample's number among those of its task. It is NULL for runs
    recorded earlier."""
    db.conn.execute("ALTER TABLE runs ADD COLUMN sample INTEGER")
