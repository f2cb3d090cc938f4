"""Migration that adds training runs: their description, their steps, and the rollouts of each
step."""

from __future__ import annotations

from typing import Any

_STATEMENTS = (
    "CREATE TABLE trainings (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL,"
    " engine TEXT NOT NULL, model TEXT NOT NULL, seed INTEGER, recipe TEXT NOT NULL,"
    " began_at REAL NOT NULL, ended_at REAL, status TEXT NOT NULL, error TEXT NOT NULL,"
    " beat_at REAL NOT NULL, owner_pid INTEGER NOT NULL, owner_started TEXT NOT NULL,"
    " owner_host TEXT NOT NULL) STRICT",
    "CREATE TABLE training_steps (training_id TEXT NOT NULL REFERENCES trainings(id)"
    " ON DELETE CASCADE, step INTEGER NOT NULL, metrics TEXT NOT NULL, ended_at REAL NOT NULL,"
    " PRIMARY KEY (training_id, step)) STRICT, WITHOUT ROWID",
    "CREATE TABLE rollouts (run_id TEXT PRIMARY KEY NOT NULL, training_id TEXT NOT NULL"
    " REFERENCES trainings(id) ON DELETE CASCADE, step INTEGER NOT NULL, task TEXT NOT NULL,"
    " number INTEGER NOT NULL, split TEXT NOT NULL, mode TEXT NOT NULL, began_at REAL NOT NULL,"
    " ended_at REAL, reward REAL, advantage REAL, truncated INTEGER NOT NULL,"
    " reason TEXT NOT NULL, steps INTEGER NOT NULL, tool_calls INTEGER NOT NULL,"
    " tokens INTEGER NOT NULL, seconds REAL NOT NULL, replaced INTEGER NOT NULL DEFAULT 0,"
    " revision INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX rollouts_that_count ON rollouts (training_id, replaced, step, split, reward)",
    "CREATE INDEX rollouts_by_revision ON rollouts (training_id, revision)",
)


def trainings(db: Any) -> None:
    """Add the tables of training runs."""
    for statement in _STATEMENTS:
        db.conn.execute(statement)
