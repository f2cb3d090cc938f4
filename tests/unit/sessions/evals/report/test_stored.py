"""Reports of evaluations in the database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.sample import SampleKey
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.report.formats import COMPARISON_FORMATS, REPORT_FORMATS
from sandbox_tui.sessions.evals.report.stored import stored_comparison, stored_report
from sandbox_tui.sessions.interchange.redaction import Redactor
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from tests.unit.core.evals.reporting.sample_results import INFO
from tests.unit.sample_run import SECRET, keep, sample

TASKS = tuple(Task(id=name, problem="?", target="42", domain="math") for name in ("a", "b"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "s.db") as opened:
        yield opened


def kept(store: Store, info: EvalInfo, scores: dict[str, float], run_id: str) -> None:
    """An evaluation with a session for its first scored task."""
    suite = Suite(name="s", tasks=TASKS, modes=("sandbox",), scorers={"": "exact"})
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=Settings()))
    keep(store, *sample("1 | tee kept.txt", secret=SECRET), run_id)
    for at, (task, score) in enumerate(scores.items()):
        run = run_id if at == 0 else f"{run_id}-{task}"
        key = SampleKey(task, "sandbox", 1)
        ledger.claim(store, info.id, key, run)
        claimed = next(r for r in ledger.results(store, info.id) if r.key == key)
        made = msgspec.structs.replace(claimed, status="scored", score=score, answer=SECRET)
        ledger.finish(store, info.id, made)


def test_the_report_of_a_stored_evaluation(store: Store, tmp_path: Path) -> None:
    kept(store, INFO, {"a": 1.0}, "run1")
    report = stored_report(store, pages=tmp_path / "out", redactor=Redactor([SECRET]))
    (cell,) = [cell for cell in report.table.total.cells if cell.mode == "sandbox"]
    assert (cell.scored, cell.pending) == (1, 1)
    assert cell.capabilities["files"] == 1
    assert report.links == {"run1": "sessions/run1.html"}
    assert (tmp_path / "out" / "sessions" / "run1.html").exists()
    for format_ in REPORT_FORMATS.values():
        text = format_.write(report)
        assert "math" in text
        assert SECRET not in text


def test_secrets_stay_where_nobody_asks(store: Store) -> None:
    kept(store, INFO, {"a": 1.0}, "run1")
    assert SECRET in REPORT_FORMATS["csv"].write(stored_report(store, INFO.id))


def test_two_stored_evaluations(store: Store) -> None:
    other = msgspec.structs.replace(INFO, id="e-2", model="larger-7b")
    kept(store, INFO, {"a": 0.0, "b": 1.0}, "run1")
    kept(store, other, {"a": 1.0, "b": 1.0}, "run2")
    found = stored_comparison(store, INFO.id, "e-2", redactor=Redactor())
    (flip,) = found.flips
    assert (flip.task, flip.left_run, flip.right_run) == ("a", "run1", "run2")
    for format_ in COMPARISON_FORMATS.values():
        assert "larger-7b" in format_.write(found)
