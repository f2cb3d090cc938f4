"""The sessions of an evaluation, some of which another one may have too: one that scored the same
answers again."""

from __future__ import annotations

from sqlite3 import Connection

from sandbox_tui.sessions.store.store import Store

_SHARED = "run_id IN (SELECT run_id FROM eval_samples WHERE run_id <> '' AND eval_id <> ?1)"


def own_sessions(store: Store, eval_id: str) -> list[str]:
    """Return the sessions of all attempts at all samples, including those returned to the queue,
    that no other evaluation has.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows(
        "SELECT run_id FROM eval_runs JOIN runs ON runs.id = run_id WHERE eval_id = ?1"
        f" AND NOT {_SHARED} ORDER BY run_id",
        [eval_id],
    )
    return [str(row["run_id"]) for row in rows]


def hand_over(connection: Connection, eval_id: str) -> None:
    """Give the sessions that another evaluation has too to that one, before this one is deleted."""
    connection.execute(
        "UPDATE eval_runs SET eval_id = (SELECT max(eval_id) FROM eval_samples"
        f" WHERE run_id = eval_runs.run_id AND eval_id <> ?1) WHERE eval_id = ?1 AND {_SHARED}",
        [eval_id],
    )
