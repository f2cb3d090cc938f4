"""The ids of the newest evaluations and training runs, read without their scores and metrics."""

from __future__ import annotations

from collections.abc import Mapping

from sandbox_tui.sessions.store.store import Store


def newest_evaluations(store: Store, limit: int) -> Mapping[str, str]:
    """Return the suite and model of the newest evaluations, by id, newest first.

    Raises:
        StoreError: the database cannot be read.
    """
    query = "SELECT id, suite, model FROM evals ORDER BY began_at DESC, id DESC LIMIT ?"
    return {row["id"]: f"{row['suite']} {row['model']}" for row in store.rows(query, [limit])}


def newest_trainings(store: Store, limit: int) -> Mapping[str, str]:
    """Return the name and model of the newest training runs, by id, newest first.

    Raises:
        StoreError: the database cannot be read.
    """
    query = "SELECT id, name, model FROM trainings ORDER BY began_at DESC, id DESC LIMIT ?"
    return {row["id"]: f"{row['name']} {row['model']}" for row in store.rows(query, [limit])}
