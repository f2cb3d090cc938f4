"""What recorded runs used, from the calls in the database."""

from __future__ import annotations

from pathlib import Path

import msgspec

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.report.recorded_capabilities import recorded_capabilities
from tests.unit.core.evals.reporting.sample_results import result
from tests.unit.sample_run import keep, sample


def test_the_calls_of_recorded_runs_count(tmp_path: Path) -> None:
    events, contents = sample("1 | tee kept.txt")
    rejected = [
        msgspec.structs.replace(event, verdict="reject") if is_decision(event, 2) else event
        for event in events
    ]
    with Store(tmp_path / "s.db") as store:
        keep(store, events, contents, "all")
        keep(store, rejected, contents, "rejected")
        keep(store, events[:10], contents, "unanswered")
        runs = ("all", "rejected", "unanswered", "gone", "")
        rows = [result(f"of {run}", "sandbox", 1.0, run_id=run) for run in runs]
        rows.append(result("a", "vanilla", 1.0, run_id="of-vanilla"))
        found = recorded_capabilities(store, rows)
    assert found.keys() == {"all", "rejected", "unanswered", "gone"}
    shown = {run: [(c.number, c.evidence) for c in used.counted] for run, used in found.items()}
    tee = (1, "tee kept.txt")
    assert shown == {
        "all": [tee, (2, "create /testbed/a.py")],
        "rejected": [tee],
        "unanswered": [],
        "gone": [],
    }


def is_decision(event: e.AnyEvent, call: int) -> bool:
    return isinstance(event, e.CallDecided) and event.call == call
