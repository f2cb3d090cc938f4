"""Classifies the calls of recorded runs by meta-capability."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox_tui.core.evals.meta_capabilities.capability import RunCapabilities
from sandbox_tui.core.evals.meta_capabilities.classify_calls import capabilities_of_run
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.run_capabilities import load, save


def recorded_capabilities(
    store: Store, results: Iterable[SampleResult]
) -> dict[str, RunCapabilities]:
    """Return the capabilities that the runs of samples used, by run id.

    Samples of `vanilla` have no computer and are left out; calls without an observation did not run
    and do not count. Results for runs that have ended are cached if the database is writable.

    Raises:
        StoreError: the database cannot be read or written.
    """
    runs = {
        result.run_id: result.over
        for result in results
        if result.run_id and result.mode != "vanilla"
    }
    known = dict(load(store, list(runs)))
    found = {run_id: _capabilities(store, run_id) for run_id in runs if run_id not in known}
    over = {run_id: used for run_id, used in found.items() if runs[run_id]}
    if over and store.writable:
        save(store, over)
    return known | found


def _capabilities(store: Store, run_id: str) -> RunCapabilities:
    return capabilities_of_run(
        (call.tool, call.arguments)
        for call in store.calls(run_id)
        if call.ok is not None and call.verdict not in ("reject", "skip")
    )
