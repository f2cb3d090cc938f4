"""Migrations that add evaluations: their description, tasks, and the progress of samples."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Any

_TABLES = (
    "CREATE TABLE evals (id TEXT PRIMARY KEY NOT NULL, suite TEXT NOT NULL, digest TEXT NOT NULL,"
    " model TEXT NOT NULL, info TEXT NOT NULL, plan BLOB NOT NULL, began_at REAL NOT NULL,"
    " ended_at REAL, stopped_because TEXT, owner_pid INTEGER, owner_started TEXT, owner_host TEXT"
    ") STRICT",
    "CREATE TABLE eval_tasks (eval_id TEXT NOT NULL REFERENCES evals(id) ON DELETE CASCADE,"
    " place INTEGER NOT NULL, task TEXT NOT NULL, compressed INTEGER NOT NULL, json BLOB NOT NULL,"
    " UNIQUE (eval_id, place)) STRICT",
    "CREATE TABLE eval_samples (eval_id TEXT NOT NULL REFERENCES evals(id) ON DELETE CASCADE,"
    " place INTEGER NOT NULL, task TEXT NOT NULL, mode TEXT NOT NULL, number INTEGER NOT NULL,"
    " domain TEXT NOT NULL, level INTEGER NOT NULL, status TEXT NOT NULL, run_id TEXT NOT NULL,"
    " attempts INTEGER NOT NULL, score REAL, scorer TEXT NOT NULL, explanation TEXT NOT NULL,"
    " answer TEXT, target TEXT NOT NULL, finish_reason TEXT NOT NULL, error TEXT NOT NULL,"
    " seconds REAL NOT NULL, steps INTEGER NOT NULL, calls INTEGER NOT NULL,"
    " input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, estimated INTEGER NOT NULL,"
    " cost REAL, began_at REAL NOT NULL, ended_at REAL NOT NULL, memory_idle INTEGER,"
    " memory_peak INTEGER, cut_documents INTEGER NOT NULL,"
    " PRIMARY KEY (eval_id, task, mode, number)) STRICT, WITHOUT ROWID",
    "CREATE INDEX eval_samples_by_place ON eval_samples (eval_id, place)",
    "CREATE INDEX eval_samples_by_run ON eval_samples (run_id) WHERE run_id <> ''",
)


def scoring_seconds(db: Any) -> None:
    """Add the seconds spent scoring a sample, separate from those of its run."""
    db.conn.execute("ALTER TABLE eval_samples ADD COLUMN scoring_seconds REAL NOT NULL DEFAULT 0")


def eval_runs(db: Any) -> None:
    """Add the sessions of all attempts at samples; for older samples only the last one is known."""
    connection: Connection = db.conn
    for statement in (
        "CREATE TABLE eval_runs (run_id TEXT PRIMARY KEY NOT NULL,"
        " eval_id TEXT NOT NULL REFERENCES evals(id) ON DELETE CASCADE) STRICT, WITHOUT ROWID",
        "CREATE INDEX eval_runs_by_eval ON eval_runs (eval_id)",
        "INSERT OR IGNORE INTO eval_runs (run_id, eval_id)"
        " SELECT run_id, eval_id FROM eval_samples WHERE run_id <> ''",
    ):
        connection.execute(statement)


def evaluations(db: Any) -> None:
    """Add the tables of evaluations."""
    connection: Connection = db.conn
    for statement in _TABLES:
        connection.execute(statement)
