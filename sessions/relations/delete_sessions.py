"""Deletes the sessions of an evaluation or a training run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions.store.store import Store


def delete_sessions(store: Store, run_ids: Iterable[str]) -> int:
    """Delete sessions, except those being recorded; return the number deleted.

    Raises:
        StoreError: a session could not be deleted; those before it are.
    """
    deleted = 0
    for run_id in run_ids:
        if not _is_recorded_now(store, run_id):
            store.delete(run_id)
            deleted += 1
    return deleted


def _is_recorded_now(store: Store, run_id: str) -> bool:
    with contextlib.suppress(StoreError):  # deleted in the meantime
        return store.run(run_id).outcome == "running"
    return True
