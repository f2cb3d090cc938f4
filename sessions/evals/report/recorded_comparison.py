"""The comparison of two recorded evaluations, finished or not."""

from __future__ import annotations

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.reporting.comparison import EvalComparison, compare_evals
from sandbox_tui.core.evals.reporting.suite_differences import sandbox_difference, suite_differences
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger


def recorded_comparison(store: Store, left: EvalInfo, right: EvalInfo) -> EvalComparison:
    """Return two evaluations paired by task and mode, as they are now. Blocks.

    Raises:
        StoreError: the database cannot be read.
    """
    return compare_evals(
        left,
        ledger.results(store, left.id),
        right,
        ledger.results(store, right.id),
        _differences(store, left, right),
    )


def _differences(store: Store, left: EvalInfo, right: EvalInfo) -> tuple[str, ...]:
    sandboxes = sandbox_difference(left, right)
    if left.digest == right.digest:
        return sandboxes
    one, other = ledger.plan_of(store, left.id), ledger.plan_of(store, right.id)
    return (*suite_differences(one.suite, other.suite, one.packs, other.packs), *sandboxes)
