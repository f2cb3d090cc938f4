"""A budget in US dollars that never stops an evaluation is said when it starts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.evaluation import begin_evaluation
from sandbox_tui.sessions.evals.unenforceable_budget import unenforceable_budget
from sandbox_tui.sessions.store.tables.eval_ledger import Budget
from sandbox_tui.tui.cli.evals.headless import run_headless
from tests import scripted_server as s
from tests.arithmetic_model import reply

Start = Callable[..., s.ScriptedServer]

SUITE = Suite(
    name="s",
    tasks=(Task(id="t", problem="What is 3 * 4?", target="12"),),
    scorers={"": "exact"},
    modes=("vanilla",),
)


async def test_it_is_said_first_and_on_stderr(
    scripted_server: Start, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = load({"model.name": "m", "model.base_url": scripted_server(reply).url})
    budget = Budget(cost=1)
    evaluation = begin_evaluation(store, SUITE, settings, concurrency=1, budget=budget)
    assert await run_headless(evaluation, store, as_json=False) == 0
    first, *others = capsys.readouterr().err.splitlines()
    assert first == (
        "Its budget of $1 cannot be enforced: the price of m on this server is unknown. Use a "
        "budget of tokens (--budget-tokens) instead."
    )
    assert not others


@pytest.mark.parametrize(
    ("model", "budget"), [("gpt-4o", Budget(cost=1)), ("m", Budget(tokens=9)), ("m", Budget())]
)
def test_other_budgets_are_not_mentioned(store: Store, model: str, budget: Budget) -> None:
    settings = load({"model.name": model})
    evaluation = begin_evaluation(store, SUITE, settings, concurrency=1, budget=budget)
    assert not unenforceable_budget(store, evaluation.info)
