"""`sandbox-tui eval stop`: stops an evaluation that runs in a program of its own."""

from __future__ import annotations

import time

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals import detached
from sandbox_tui.sessions.store.tables import eval_ledger as ledger

POLL_SECONDS = 0.1
"""Seconds between checks of whether its program has ended."""


def stop_evaluation(store: Store, name: str) -> ledger.EvalSummary:
    """Stop an evaluation and wait until its program has cleaned up; return what is left of it.

    Args:
        store: the database.
        name: id of the evaluation, or part of it; "last": the newest one that can be stopped.

    Raises:
        ConfigError: it is not running, or not in a program of its own on this machine.
        StoreError: there is no such evaluation, or the database cannot be read.
    """
    found = _newest(store) if name == "last" else ledger.summary(store, name)
    if not detached.stop(found):
        raise ConfigError(_why_not(found))
    while found.running:
        time.sleep(POLL_SECONDS)
        found = ledger.summary(store, found.info.id)
    return found


def _newest(store: Store) -> ledger.EvalSummary:
    running = [found for found in ledger.summaries(store) if found.running]
    for found in running:
        if detached.program_of(found) is not None:
            return found
    if running:
        raise ConfigError(_why_not(running[0]))
    raise ConfigError("No evaluation runs now; `sandbox-tui eval ls` lists all.")


def _why_not(found: ledger.EvalSummary) -> str:
    owner = found.owner
    if not found.running or owner is None:
        return f"The evaluation {found.info.id} is {found.status}, so there is nothing to stop."
    if not owner.here:
        return (
            f"The evaluation {found.info.id} runs on {owner.host_name} (process {owner.pid}): stop "
            "it there."
        )
    return (
        f"The evaluation {found.info.id} runs in a terminal (process {owner.pid}): press x on its "
        "screen, or ctrl+c if it has none."
    )
