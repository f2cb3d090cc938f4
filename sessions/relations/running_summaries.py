"""Brings the summaries of running sessions up to now: their time, and whether they retry."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from sandbox_tui.core.events.types import ModelAsked
from sandbox_tui.sessions.relations.fork_origin import clock_began_at
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.events import last_of_kind

_ANSWERED_BY = ("ModelDelta", "ModelReplied", "CallStarted", "RunFinished")
"""After an event of one of these kinds, the server is no longer away."""


def up_to_now(store: Store, runs: Iterable[RunSummary]) -> list[RunSummary]:
    """Return the summaries; those of running sessions with their time until now, and with what they
    wait for, while their model's server fails, as the `error`.

    The record of a running session ends with its last event, which may be long ago. The clock of
    another host may differ, so the time of a session there stays as recorded.

    Raises:
        StoreError: the database cannot be read.
    """
    return [_now(store, run) if run.outcome == "running" else run for run in runs]


def _now(store: Store, run: RunSummary) -> RunSummary:
    seconds = run.seconds
    if not run.elsewhere:
        seconds = max(seconds, time.time() - clock_began_at(store, run))
    return replace(run, seconds=seconds, error=_retry_words(store, run.id) or run.error)


def _retry_words(store: Store, run_id: str) -> str:
    """Return which attempt of a request a run waits for; empty unless the last one failed."""
    asked = last_of_kind(store, run_id, "ModelAsked")
    if not isinstance(asked, ModelAsked):
        return ""
    has_failed = not store.is_pending(run_id, "ModelAsked", resolved_by=("ModelFailed",))
    is_answered = not store.is_pending(run_id, "ModelAsked", resolved_by=_ANSWERED_BY)
    if not has_failed and (is_answered or asked.attempt == 1):
        return ""
    return f"waits for the server, try {asked.attempt + has_failed}"
