"""Deletes evaluations, alone or with their sessions."""

from __future__ import annotations

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.sessions.relations.delete_sessions import delete_sessions
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.evals.eval_sessions import own_sessions


def delete_evaluation(store: Store, eval_id: str) -> None:
    """Delete an evaluation; its sessions stay.

    Raises:
        ConfigError: a program is working on it.
        StoreError: the write failed.
    """
    refuse_running(ledger.summary(store, eval_id))
    ledger.delete(store, eval_id)


def delete_with_sessions(store: Store, eval_id: str) -> int:
    """Delete an evaluation and the sessions of all its samples; return the number of sessions.

    Forks of them stay, and so do sessions that another evaluation has too, and those that have been
    resumed and are being recorded.

    Raises:
        ConfigError: a program is working on it.
        StoreError: the write failed. Sessions deleted until then
            stay deleted; the evaluation remains and can be deleted again.
    """
    refuse_running(ledger.summary(store, eval_id))
    deleted = delete_sessions(store, own_sessions(store, eval_id))
    ledger.delete(store, eval_id)
    return deleted


def refuse_running(found: ledger.EvalSummary) -> None:
    """Refuse to delete an evaluation that is running.

    Raises:
        ConfigError: a program is working on it.
    """
    if found.running:
        raise ConfigError(
            f"The evaluation {found.info.id} is still running: stop it before you delete it."
        )
