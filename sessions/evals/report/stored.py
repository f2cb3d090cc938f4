"""The report of an evaluation in the database."""

from __future__ import annotations

import time
from pathlib import Path

from sandbox_tui.core.evals.reporting.comparison import EvalComparison, compare_evals
from sandbox_tui.sessions.evals.report.recorded_capabilities import recorded_capabilities
from sandbox_tui.sessions.evals.report.report import EvalReport, eval_report
from sandbox_tui.sessions.evals.report.session_pages import write_session_pages
from sandbox_tui.sessions.interchange.redaction import Redactor
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger


def stored_report(
    store: Store,
    name: str = "last",
    *,
    redactor: Redactor | None = None,
    pages: Path | None = None,
) -> EvalReport:
    """The report of an evaluation as it stands.

    Args:
        store: where it is.
        name: its id, a part of it, or `last`.
        redactor: blanks secrets in everything that the report shows.
        pages: the folder of the report; the pages of its sessions are written there, and linked.

    Raises:
        StoreError: there is no such evaluation, or it cannot be read.
        OSError: a page cannot be written.
    """
    info = ledger.summary(store, name).info
    results = ledger.results(store, info.id)
    capabilities = recorded_capabilities(store, results)
    links: dict[str, str] = {}
    if pages is not None:
        runs = [result.run_id for result in results if result.run_id]
        links = dict(write_session_pages(store, runs, pages, redactor))
    if redactor is not None:
        info, results = redactor.value(info), redactor.value(results)
        capabilities = redactor.value(capabilities)
    return eval_report(info, results, now=time.time(), capabilities=capabilities, links=links)


def stored_comparison(
    store: Store, left: str, right: str, *, redactor: Redactor | None = None
) -> EvalComparison:
    """Two evaluations of the database, paired; arguments are those of `stored_report`.

    Raises:
        StoreError: there is no such evaluation, or it cannot be read.
    """
    infos = [ledger.summary(store, name).info for name in (left, right)]
    results = [ledger.results(store, info.id) for info in infos]
    if redactor is not None:
        infos, results = redactor.value(infos), redactor.value(results)
    return compare_evals(infos[0], results[0], infos[1], results[1])
