"""Finds the runs that wait for the user's decision, from their events, and what they wait for."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox_tui.core.events.types import CallHeld
from sandbox_tui.sessions.relations.fork_origin import clocks_began_at
from sandbox_tui.sessions.store.run_summary import RunSummary
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
    return {run_id: _held_call(store, run_id) for run_id in waiting_runs(store, run_ids)}


def waiting_runs(store: Store, run_ids: Iterable[str]) -> list[str]:
    """Return those of the runs that wait for a decision.

    Raises:
        StoreError: the events cannot be read.
    """
    next_events = first_after_last(store, run_ids, "CallHeld", _RESOLVED_BY)
    return [run_id for run_id, kind in next_events.items() if not kind]


def waiting_since(store: Store, runs: Iterable[RunSummary]) -> dict[str, float]:
    """Return the runs that wait for a decision, with the time since when, in seconds since the
    epoch.

    Raises:
        StoreError: the events cannot be read.
    """
    by_id = {run.id: run for run in runs}
    waiting = waiting_runs(store, by_id)
    began = clocks_began_at(store, [by_id[run_id] for run_id in waiting])

    def held_at(run_id: str) -> float:
        held = last_of_kind(store, run_id, "CallHeld")
        return began[run_id] + (held.t if held is not None else 0.0)

    return {run_id: held_at(run_id) for run_id in waiting}


def _held_call(store: Store, run_id: str) -> CallRow | None:
    held = last_of_kind(store, run_id, "CallHeld")
    return call_of(store, run_id, held.call) if isinstance(held, CallHeld) else None
