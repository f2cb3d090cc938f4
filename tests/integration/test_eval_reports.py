"""The report of a real evaluation: sandboxes, a server on loopback, a database."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.sessions import RunRegistry, Store
from sandbox_tui.sessions.evals.evaluation import begin_evaluation
from sandbox_tui.sessions.evals.report.recorded_capabilities import recorded_capabilities
from sandbox_tui.sessions.evals.report.report import eval_report
from sandbox_tui.sessions.evals.runner import EvalRunner
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.evals.report import REPORTS, write_comparison, write_report
from sandbox_tui.tui.format.evals.eval_table import report_text
from tests.arithmetic_model import reply
from tests.integration.conftest import require
from tests.integration.test_evals import Start, settings, suite


async def test_the_report_of_a_run_evaluation(
    scripted_server: Start, store: Store, tmp_path: Path
) -> None:
    require("bubblewrap")
    server = scripted_server(reply)
    evaluation = begin_evaluation(
        store, suite(), settings(server), concurrency=2, command="eval run products"
    )
    await EvalRunner(evaluation, RunRegistry(store)).run()
    results = ledger.results(store, evaluation.info.id)
    used = recorded_capabilities(store, results)
    report = eval_report(evaluation.info, results, capabilities=used)
    (row,) = report.table.rows
    vanilla, sandbox = row.cells
    assert vanilla.score is not None
    assert sandbox.score is not None
    assert (vanilla.score.value, sandbox.score.value) == (0.5, 1)
    assert sandbox.difference is not None
    assert sandbox.difference.value == 0.5
    assert sandbox.capabilities["computation"] == 1
    assert not vanilla.capabilities
    assert vanilla.steps == 1
    assert (sandbox.steps or 0) > 1
    assert sandbox.per_minute is None  # it took less than a minute
    assert sandbox.per_minute_ratio is None
    assert "command: eval run products" in report_text(report.table, 80)
    for form in REPORTS:
        write_report(store, "last", form, tmp_path / form, sessions=form == "html")
        assert "math" in (tmp_path / form).read_text()
    pages = {path.stem for path in (tmp_path / "sessions").iterdir()}
    assert pages == {one.run_id for one in results}
    assert all(f'href="sessions/{page}.html"' in (tmp_path / "html").read_text() for page in pages)
    with pytest.raises(ConfigError, match="are the same evaluation"):
        write_comparison(store, "last", evaluation.info.id, "text", tmp_path / "c", explain=True)
