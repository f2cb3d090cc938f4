"""Says that the budget of an evaluation in US dollars never stops it, since its costs are
unknown."""

from __future__ import annotations

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.models import pricing
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.evals.budgets import budget_in_force


def unenforceable_budget(store: Store, info: EvalInfo) -> str:
    """Return a sentence with the reason and what to do; empty if the budget can be enforced, or if
    there is none in US dollars.

    Raises:
        StoreError: the database cannot be read.
    """
    cost = budget_in_force(store, info.id).budget.cost
    if cost is None or pricing.is_known(info.model, str(info.params.get("base_url") or "")):
        return ""
    why = pricing.why_unknown(
        info.model, counted=True, instead="a budget of tokens (--budget-tokens)"
    )
    return f"Its budget of ${cost:g} cannot be enforced: {why}"
