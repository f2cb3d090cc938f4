"""Finds the runs that wait for the user's decision, from their events."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox_tui.sessions.store.store import Store

_RESOLVED_BY = (
    "CallDecided",
    "CallStarted",
    "CallFinished",
    "ModelAsked",
    "RunResumed",
    "RunFinished",
)
"""After an event of one of these kinds, a held call no longer waits."""


def waiting_runs(store: Store, run_ids: Iterable[str]) -> frozenset[str]:
    """Return the runs in which a call waits for a decision.

    Raises:
        StoreError: the events cannot be read.
    """
    return frozenset(run_id for run_id in run_ids if _waits(store, run_id))


def _waits(store: Store, run_id: str) -> bool:
    return store.is_pending(run_id, "CallHeld", resolved_by=_RESOLVED_BY)
