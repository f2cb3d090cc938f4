"""What recorded runs used their computers for."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox_tui.core.evals.meta_capabilities.capability import RunCapabilities
from sandbox_tui.core.evals.meta_capabilities.of_run import capabilities_of_run
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions.store.store import Store


def recorded_capabilities(
    store: Store, results: Iterable[SampleResult]
) -> dict[str, RunCapabilities]:
    """What the runs of samples used, by id of the run. Samples of `vanilla` have no computer and
    are left out; calls that have no answer did not run, and do not count.

    Takes about half a millisecond per call.

    Raises:
        StoreError: the database cannot be read.
    """
    return {
        result.run_id: capabilities_of_run(
            (call.tool, call.arguments)
            for call in store.calls(result.run_id)
            if call.ok is not None and call.verdict not in ("reject", "skip")
        )
        for result in results
        if result.run_id and result.mode != "vanilla"
    }
