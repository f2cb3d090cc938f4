"""The capabilities that recorded runs used, derived from the calls in the database."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from sandbox_tui.core.evals.meta_capabilities.capability import RunCapabilities
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.report import recorded_capabilities as recorded
from sandbox_tui.sessions.evals.report.recorded_capabilities import recorded_capabilities
from sandbox_tui.sessions.store.tables import run_capabilities
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


def test_results_are_cached_until_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    find_out = recorded.capabilities_of_run

    def counted(calls: Iterable[tuple[str, str]]) -> RunCapabilities:
        looked.append("")
        return find_out(calls)

    monkeypatch.setattr(recorded, "capabilities_of_run", counted)
    events, contents = sample("1 | tee kept.txt")
    over = result("a", "sandbox", 1.0, run_id="r")
    running = result("b", "sandbox", status="running", run_id="s")
    with Store(tmp_path / "s.db") as store:
        keep(store, events[:-1], contents)
        keep(store, events, contents, "s")
        first = recorded_capabilities(store, [over, running])
        assert "files" in first["r"].used
        assert recorded_capabilities(store, [over, running]) == first
        assert len(looked) == 3  # the running one is read again
        store.append("r", events[-1:])
        assert recorded_capabilities(store, [over]) == {"r": first["r"]}
        assert len(looked) == 4  # the session has grown
        monkeypatch.setattr(run_capabilities, "RULES_VERSION", 1000)
        recorded_capabilities(store, [over])
        assert len(looked) == 5  # the rules have changed
        store.delete("r")
        assert store.rows("SELECT count(*) AS n FROM run_capabilities") == [{"n": 0}]


def is_decision(event: e.AnyEvent, call: int) -> bool:
    return isinstance(event, e.CallDecided) and event.call == call
