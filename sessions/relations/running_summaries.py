"""Brings the summaries of running sessions up to now: their time, and what they wait for."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sandbox_tui.core.events.types import AnyEvent, ModeChanged, ModelAsked, SandboxFrozen
from sandbox_tui.sessions.relations.awaiting_person import waiting_runs
from sandbox_tui.sessions.relations.fork_origin import clocks_began_at
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.events import (
    first_after_last,
    last_of_kind,
    recent_of,
)

_ENDED_BY = ("ModelReplied", "ModelFailed", "CallStarted", "RunFinished")
"""After an event of one of these kinds, a request is no longer under way."""


def up_to_now(store: Store, runs: Iterable[RunSummary]) -> list[RunSummary]:
    """Return the summaries; those of running sessions with their time until now, whether they wait
    for the user, are paused or frozen, and with what they wait for, while their model's server
    fails, as the `error`.

    The record of a running session ends with its last event, which may be long ago. The clock of
    another host may differ, so the time of a session there stays as recorded.

    Raises:
        StoreError: the database cannot be read.
    """
    runs = list(runs)
    running = [run for run in runs if run.outcome == "running"]
    if not running:
        return runs
    words = _retry_words(store, [run.id for run in running])
    waiting = waiting_runs(store, [run.id for run in running])
    modes = recent_of(store, [run.id for run in running], ("ModeChanged",))
    paused = {run_id for run_id, last in modes.items() if _is_pause(last)}
    freezing = recent_of(store, paused, ("SandboxFrozen", "SandboxThawed")) if paused else {}
    here = [run for run in running if not run.elsewhere]
    began, now = clocks_began_at(store, here), time.time()
    return [
        replace(
            run,
            seconds=max(run.seconds, now - began[run.id]) if run.id in began else run.seconds,
            error=words.get(run.id) or run.error,
            waits=run.id in waiting,
            paused=run.id in paused,
            frozen=isinstance(freezing.get(run.id), SandboxFrozen),
        )
        if run.outcome == "running"
        else run
        for run in runs
    ]


def _is_pause(change: AnyEvent) -> bool:
    return isinstance(change, ModeChanged) and change.mode == "paused"


def _retry_words(store: Store, run_ids: Sequence[str]) -> dict[str, str]:
    """Return which attempt of a request each of these runs waits for, if the last one failed.

    Most runs are in a call, or in the first attempt: one query finds the others.
    """
    ended_by = first_after_last(store, run_ids, "ModelAsked", _ENDED_BY)
    failed = {run_id for run_id, kind in ended_by.items() if kind == "ModelFailed"}
    unanswered = [run_id for run_id, kind in ended_by.items() if not kind]
    begun = first_after_last(store, unanswered, "ModelAsked", ("ModelDelta",)) if unanswered else {}
    silent = [run_id for run_id in unanswered if not begun.get(run_id)]
    words: dict[str, str] = {}
    for run_id in (*failed, *silent):
        asked = last_of_kind(store, run_id, "ModelAsked")
        if isinstance(asked, ModelAsked) and (run_id in failed or asked.attempt > 1):
            words[run_id] = f"retrying, try {asked.attempt + (run_id in failed)}"
    return words
