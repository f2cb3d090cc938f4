"""An evaluation whose samples had all started when its budget was used up says that it is
exceeded."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import RunRegistry, Store
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.evals.evaluation import begin_evaluation
from sandbox_tui.sessions.evals.exceeded_budget import exceeded_budget
from sandbox_tui.sessions.evals.report.html import html_report
from sandbox_tui.sessions.evals.report.markdown import markdown_report
from sandbox_tui.sessions.evals.report.recorded_report import recorded_report
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.evals.budgets import renew_budget
from sandbox_tui.sessions.store.tables.evals.totals import spent
from sandbox_tui.tui.cli.evals.headless import run_headless
from sandbox_tui.tui.cli.evals.watch_headless import watch_headless
from sandbox_tui.tui.screens.evals.header import reason_line
from sandbox_tui.tui.screens.evals.screen_data import data_of
from sandbox_tui.tui.screens.evals.source import source_of
from tests import scripted_server as s
from tests.arithmetic_model import reply
from tests.unit.tui.widgets.test_preview_kinds import PALETTE

Start = Callable[..., s.ScriptedServer]


@pytest.mark.parametrize("as_json", [False, True])
async def test_it_is_said_at_the_end_in_the_report_and_on_the_screen(
    scripted_server: Start, store: Store, capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    eval_id = await run(scripted_server, store, 10, as_json=as_json)
    tokens, _ = spent(store, eval_id)
    words = f"Budget of 10 tokens exceeded: {tokens} used."
    written = capsys.readouterr()
    assert (written.err if as_json else written.out).count(words) == 1
    found = ledger.summary(store)
    assert not found.stopped_because, "nothing was left to stop"
    report = recorded_report(store, found.info, ledger.results(store, eval_id))
    assert words in markdown_report(report)
    assert words in html_report(report)
    reading = source_of(found, EvalRegistry(RunRegistry(store))).read()
    assert reading is not None
    assert reason_line(data_of(reading), PALETTE).plain == words
    assert watch_headless(store, found, as_json=as_json) == 0
    written = capsys.readouterr()
    assert words in (written.err if as_json else written.out)


async def test_a_budget_that_is_kept_is_not_mentioned(
    scripted_server: Start, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    await run(scripted_server, store, 1_000_000, as_json=False)
    assert "udget" not in capsys.readouterr().out


async def test_only_what_was_used_since_the_last_resume_counts(
    scripted_server: Start, store: Store
) -> None:
    eval_id = await run(scripted_server, store, 10, as_json=False)
    info, before = ledger.summary(store, eval_id).info, ledger.plan_of(store, eval_id)
    assert exceeded_budget(store, info)
    renew_budget(store, eval_id, before.budget)
    assert not exceeded_budget(store, info)
    assert ledger.plan_of(store, eval_id) == before


async def run(start: Start, store: Store, tokens: int, *, as_json: bool) -> str:
    """Run two samples at once; return the id of the evaluation."""
    server = start(reply)
    tasks = tuple(Task(id=f"t{at}", problem="What is 3 * 4?", target="12") for at in range(2))
    suite = Suite(name="s", tasks=tasks, scorers={"": "exact"}, modes=("vanilla",))
    settings = load({"model.name": "m", "model.base_url": server.url})
    budget = ledger.Budget(tokens=tokens)
    evaluation = begin_evaluation(store, suite, settings, concurrency=2, budget=budget)
    assert await run_headless(evaluation, store, as_json=as_json) == 0
    return evaluation.info.id
