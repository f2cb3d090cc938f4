"""Finds the evaluation that a command means: one to resume, or one with results."""

from __future__ import annotations

import click

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary


def evaluation_to_resume(store: Store, name: str, *, rerun_failed: bool) -> str:
    """Return the id of an evaluation.

    Args:
        store: the database.
        name: the id, or part of it; "last": the newest one that can be resumed, or else the newest.
        rerun_failed: whether one that has only samples to rerun can be resumed, too.

    Raises:
        StoreError: there is no such evaluation, or the database cannot be read.
    """
    if name == "last":
        for found in ledger.summaries(store):
            if found.can_resume and (rerun_failed or found.status == "interrupted"):
                return found.info.id
    return ledger.summary(store, name).info.id


def evaluation_with_results(store: Store, name: str) -> EvalSummary:
    """Return the evaluation with this name; `last` is the newest that runs or has results. One
    without results, or passed over, is told on stderr.

    Args:
        store: the database.
        name: its id, part of it, its suite, or `last`.

    Raises:
        StoreError: there is no such evaluation, or the database cannot be read.
    """
    found = ledger.summary(store, name)
    if found.running or found.over:
        return found
    eval_id = found.info.id
    older = _newest(store) if name == "last" else None
    if older is None:
        words = f"{eval_id} has no results: none of its samples has ended."
    else:
        words = (
            f"The newest evaluation, {eval_id}, has no results: none of its samples has ended. "
            f"This is the newest with results, {older.info.id}."
        )
    click.echo(f"sandbox-tui: {words}", err=True)
    return older or found


def _newest(store: Store) -> EvalSummary | None:
    """Return the newest evaluation with results."""
    return next((one for one in ledger.summaries(store) if one.over), None)
