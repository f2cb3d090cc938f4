"""The report of an evaluation that really ran: sandboxes, a server on loopback, a database."""

from __future__ import annotations

from pathlib import Path

from sandbox_tui.sessions import RunRegistry, Store
from sandbox_tui.sessions.evals.begin import begin
from sandbox_tui.sessions.evals.report.formats import REPORT_FORMATS
from sandbox_tui.sessions.evals.report.stored import stored_comparison, stored_report
from sandbox_tui.sessions.evals.runner import EvalRunner
from sandbox_tui.tui.format.eval_table import report_text
from tests.arithmetic_model import reply
from tests.integration.conftest import require
from tests.integration.test_evals import Start, settings, suite


async def test_the_report_of_a_run_evaluation(
    scripted_server: Start, store: Store, tmp_path: Path
) -> None:
    require("bubblewrap")
    server = scripted_server(reply)
    evaluation = begin(store, suite(), settings(server), concurrency=2, command="eval run products")
    await EvalRunner(evaluation, RunRegistry(store)).run()
    report = stored_report(store, pages=tmp_path)
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
    assert (sandbox.per_minute or 0) > 0
    assert len(report.links) == 8
    assert all((tmp_path / link).exists() for link in report.links.values())
    for format_ in REPORT_FORMATS.values():
        assert "math" in format_.write(report)
    assert "command: eval run products" in report_text(report.table, 80)
    same = stored_comparison(store, evaluation.info.id, evaluation.info.id)
    assert (same.flips, same.same_suite) == ((), True)
