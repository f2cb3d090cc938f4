"""`sandbox-tui eval resume`: finds the evaluation that it means."""

from __future__ import annotations

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger


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
