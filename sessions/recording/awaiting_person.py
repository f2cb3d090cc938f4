"""Finds the runs that wait for the user's decision, from their events, and what they wait for."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox_tui.core.events.types import CallHeld
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.calls import CallRow, call_of
from sandbox_tui.sessions.store.tables.events import first_after_last, last_of_kind

_RESOLVED_BY = (
    "CallDecided",
    "CallStarted",
    "CallFinished",
    "ModelAsked",
    "RunResumed",
    "RunFinished",
)
"""After an event of one of these kinds, a held call no longer waits."""


def held_calls(store: Store, run_ids: Iterable[str]) -> dict[str, CallRow | None]:
    """Return the runs that wait for a decision, with the call that waits; None if it is unknown.

    Raises:
        StoreError: the events cannot be read.
    """
    next_events = first_after_last(store, run_ids, "CallHeld", _RESOLVED_BY)
    waiting = [run_id for run_id, kind in next_events.items() if not kind]
    return {run_id: _held_call(store, run_id) for run_id in waiting}


def _held_call(store: Store, run_id: str) -> CallRow | None:
    held = last_of_kind(store, run_id, "CallHeld")
    return call_of(store, run_id, held.call) if isinstance(held, CallHeld) else None
