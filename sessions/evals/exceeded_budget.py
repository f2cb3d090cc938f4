"""Says that an evaluation used more than its budget, which the samples that had already started
may do."""

from __future__ import annotations

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.evals.budgets import budget_in_force
from sandbox_tui.sessions.store.tables.evals.totals import spent


def exceeded_budget(store: Store, info: EvalInfo) -> str:
    """Return a sentence with the budget and what was used, if that is more; otherwise empty.

    Both count since the last resume. An evaluation whose answers come from another one used nothing
    itself. Time does not count: it is not known how long each program worked on it.

    Raises:
        StoreError: the database cannot be read.
    """
    in_force = budget_in_force(store, info.id)
    budget = in_force.budget
    if info.answers_of or (budget.tokens is None and budget.cost is None):
        return ""
    tokens, cost = spent(store, info.id)
    tokens, cost = tokens - in_force.tokens_before, round(cost - in_force.cost_before, 9)
    since = " since it was resumed" if in_force.was_resumed else ""
    if budget.tokens is not None and tokens > budget.tokens:
        allowed = figures.counted_tokens(budget.tokens)
        return f"Budget of {allowed} exceeded: {figures.count(tokens)} used{since}."
    if budget.cost is not None and cost > budget.cost:
        return f"Budget of ${budget.cost:g} exceeded: {figures.dollars(cost)} used{since}."
    return ""
