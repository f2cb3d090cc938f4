"""Reads the summaries of the newest evaluations again and again, for a list that is kept open."""

from __future__ import annotations

from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger

Mark = tuple[object, ...]


class NewestSummaries:
    """Counts the samples again only of evaluations that run, or whose program has changed.

    Only a program that owns an evaluation changes its samples, and owning it changes its row.

    Args:
        store: the database.
        limit: maximum number of evaluations.
    """

    def __init__(self, store: Store, limit: int) -> None:
        self._store = store
        self._limit = limit
        self._known: dict[str, tuple[Mark, ledger.EvalSummary]] = {}

    def read(self) -> list[ledger.EvalSummary]:
        """Return the summaries as they are now, newest first. Blocks.

        Raises:
            StoreError: the database cannot be read.
        """
        marks = self._marks()
        changed = [eval_id for eval_id, mark in marks.items() if not self._is_known(eval_id, mark)]
        found = ledger.summaries_of(self._store, changed) if changed else []
        read = {one.info.id: one for one in found}
        known = {eval_id: one for eval_id, (_, one) in self._known.items()} | read
        self._known = {
            eval_id: (mark, known[eval_id]) for eval_id, mark in marks.items() if eval_id in known
        }
        return [one for _, one in self._known.values()]

    def _is_known(self, eval_id: str, mark: Mark) -> bool:
        known = self._known.get(eval_id)
        return known is not None and known[0] == mark and not known[1].running

    def _marks(self) -> dict[str, Mark]:
        """Return what changes with the program of each evaluation, newest first."""
        rows = self._store.rows(
            "SELECT id, info, ended_at, owner_pid, owner_started, owner_host, stopped_because"
            " FROM evals ORDER BY began_at DESC, id DESC LIMIT ?",
            [self._limit],
        )
        return {str(row["id"]): tuple(row.values()) for row in rows}
