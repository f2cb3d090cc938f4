"""The budgets of evaluations."""

from __future__ import annotations

import msgspec

from sandbox_tui.sessions.store.store import Store


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """Limits for a whole evaluation; None means unlimited.

    Attributes:
        tokens: input and output tokens.
        cost: US dollars.
        seconds: wall-clock time of one program working on it.
    """

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


class _Plan(msgspec.Struct):
    """The part of a plan that is read here."""

    budget: Budget = Budget()


def budget_of(store: Store, eval_id: str) -> Budget:
    """Return the budget of an evaluation; without limits if there is no such evaluation.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows("SELECT plan FROM evals WHERE id = ?", [eval_id])
    return msgspec.json.decode(rows[0]["plan"], type=_Plan).budget if rows else Budget()
