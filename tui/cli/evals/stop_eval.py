"""`sandbox-tui eval stop`: stops an evaluation that runs in a program without a screen."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals import detached
from sandbox_tui.sessions.store.tables import eval_ledger as ledger

WITHOUT_SCREEN = {b"--headless", b"--json"}
"""Options of a command that runs an evaluation without a screen."""

STOPPED = "You stopped it with `eval stop`."

POLL_SECONDS = 0.1
"""Seconds between checks of whether its program has ended."""


def stop_evaluation(store: Store, name: str) -> ledger.EvalSummary:
    """Stop an evaluation and wait until its program has cleaned up; return what is left of it.

    Args:
        store: the database.
        name: id of the evaluation, or part of it; "last": the newest one that can be stopped.

    Raises:
        ConfigError: it is not running, or not in a program without a screen on this machine.
        StoreError: there is no such evaluation, or the database cannot be read.
    """
    found = _newest(store) if name == "last" else ledger.summary(store, name)
    if not (detached.stop(found) or _interrupt(found)):
        raise ConfigError(_why_not(found))
    while found.running:
        time.sleep(POLL_SECONDS)
        found = ledger.summary(store, found.info.id)
    ledger.set_stopped_because(store, found.info.id, STOPPED)
    return found


def _newest(store: Store) -> ledger.EvalSummary:
    running = [found for found in ledger.summaries(store) if found.running]
    for found in running:
        if detached.program_of(found) is not None or _headless_program_of(found) is not None:
            return found
    if running:
        raise ConfigError(_why_not(running[0]))
    raise ConfigError("No evaluation runs now; `sandbox-tui eval ls` lists all.")


def _interrupt(found: ledger.EvalSummary) -> bool:
    """Stop an evaluation that another command without a screen runs, as ctrl+c in its terminal
    does; return whether there was one."""
    pid = _headless_program_of(found)
    if pid is None:
        return False
    try:
        os.kill(pid, signal.SIGINT)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _headless_program_of(found: ledger.EvalSummary) -> int | None:
    """Return the id of the `eval run` or `eval resume` without a screen that runs an evaluation;
    None if none does here."""
    owner = found.owner
    if owner is None or not owner.here or not owner.alive:
        return None
    try:
        words = Path(f"/proc/{owner.pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return None
    return owner.pid if b"eval" in words and not WITHOUT_SCREEN.isdisjoint(words) else None


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
        f"screen, or ctrl+c if it has none. `kill -INT {owner.pid}` does the same."
    )
