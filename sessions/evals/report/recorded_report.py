"""The report of a recorded evaluation, finished or not."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions.evals.exceeded_budget import exceeded_budget
from sandbox_tui.sessions.evals.report.recorded_capabilities import recorded_capabilities
from sandbox_tui.sessions.evals.report.report import EvalReport, eval_report
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.evals.questions import questions


def recorded_report(
    store: Store,
    info: EvalInfo,
    results: Sequence[SampleResult],
    links: Mapping[str, str] | None = None,
) -> EvalReport:
    """Return the report of an evaluation as it is now. Blocks.

    Raises:
        StoreError: the database cannot be read.
    """
    return eval_report(
        info,
        results,
        now=time.time(),
        capabilities=recorded_capabilities(store, results),
        links=links,
        questions=questions(store, info.id),
        over_budget=exceeded_budget(store, info),
    )
