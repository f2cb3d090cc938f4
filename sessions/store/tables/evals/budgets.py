"""The budgets of evaluations."""

from __future__ import annotations

import msgspec

from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.evals.totals import spent


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """Limits for a whole evaluation, which count anew when it is resumed; None means unlimited.

    Attributes:
        tokens: input and output tokens.
        cost: US dollars.
        seconds: wall-clock time of one program working on it.
    """

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


class BudgetInForce(msgspec.Struct, frozen=True, kw_only=True):
    """The budget of an evaluation since it began, or since its last resume.

    These are fields of its plan in the database, next to those of `EvalPlan`.

    Attributes:
        budget: the budget.
        tokens_before: tokens that were used before that resume.
        cost_before: US dollars that were spent before it.
        was_resumed: whether there was one.
    """

    budget: Budget = Budget()
    tokens_before: int = 0
    cost_before: float = 0.0
    was_resumed: bool = False


def budget_in_force(store: Store, eval_id: str) -> BudgetInForce:
    """Return the budget of an evaluation; without limits if there is no such evaluation.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows("SELECT plan FROM evals WHERE id = ?", [eval_id])
    return msgspec.json.decode(rows[0]["plan"], type=BudgetInForce) if rows else BudgetInForce()


def renew_budget(store: Store, eval_id: str, budget: Budget) -> None:
    """Give an evaluation that is resumed a budget that counts from now on.

    Raises:
        StoreError: the database cannot be read or written.
    """
    tokens, cost = spent(store, eval_id)
    renewed = BudgetInForce(budget=budget, tokens_before=tokens, cost_before=cost, was_resumed=True)
    with store.transaction() as connection:
        (plan,) = connection.execute("SELECT plan FROM evals WHERE id = ?", [eval_id]).fetchone()
        fields = msgspec.json.decode(plan, type=dict[str, msgspec.Raw])
        fields |= {
            name: msgspec.Raw(msgspec.json.encode(value))
            for name, value in msgspec.structs.asdict(renewed).items()
        }
        connection.execute(
            "UPDATE evals SET plan = ? WHERE id = ?", [msgspec.json.encode(fields), eval_id]
        )
