"""`last` of commands on the results of an evaluation."""

from __future__ import annotations

import msgspec
import pytest
from click.testing import CliRunner, Result

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.main import main

OLD = "20261121-101112-abcde"
NEW = "20261122-101112-fghij"

SUITE = Suite(name="s", tasks=(Task(id="a", problem="?", target="4"),), scorers={"": "exact"})


def add(store: Store, eval_id: str, began_at: float) -> None:
    info = EvalInfo(id=eval_id, suite="s", digest="d", model="m", began_at=began_at)
    ledger.create(store, info, ledger.EvalPlan(suite=SUITE, settings=load({})))


def finish(store: Store, eval_id: str) -> None:
    ended = {"status": "scored", "finish_reason": "submitted", "score": 1.0}
    over = [msgspec.structs.replace(one, **ended) for one in ledger.results(store, eval_id)]
    ledger.finish(store, eval_id, *over)
    ledger.release(store, eval_id, "")


def command(*words: str) -> Result:
    return CliRunner().invoke(main, ["eval", *words])


@pytest.fixture
def one_without_results(store: Store) -> Store:
    """A store with a finished evaluation, and a newer one whose samples never ran."""
    add(store, OLD, 1.0)
    finish(store, OLD)
    add(store, NEW, 2.0)
    ledger.release(store, NEW, "You stopped it.")
    return store


@pytest.mark.usefixtures("one_without_results")
def test_last_is_the_newest_with_results() -> None:
    done = command("report")
    assert done.exit_code == 0
    assert "2 of 2 done" in done.stdout
    assert done.stderr == (
        f"sandbox-tui: The newest evaluation, {NEW}, has no results: none of its samples has "
        f"ended. This is the newest with results, {OLD}.\n"
    )
    assert command("report", "last", "--json").stdout.startswith('{\n  "id": "' + OLD)
    done = command("compare", "last", NEW)
    assert f"left: {OLD}" in done.stdout
    assert NEW in command("rescore").stderr


@pytest.mark.usefixtures("one_without_results")
def test_one_that_is_named_is_reported_though_it_has_no_results() -> None:
    done = command("report", NEW)
    assert "0 of 2 done" in done.stdout
    assert done.stderr == (f"sandbox-tui: {NEW} has no results: none of its samples has ended.\n")


def test_without_any_results_the_newest_says_that_it_has_none(store: Store) -> None:
    add(store, NEW, 2.0)
    ledger.release(store, NEW, "You stopped it.")
    assert f"{NEW} has no results" in command("report").stderr


def test_one_that_runs_is_the_last(one_without_results: Store) -> None:
    add(one_without_results, "20261123-101112-klmno", 3.0)
    done = command("report")
    assert "20261123" not in done.stderr
    assert "0 of 2 done" in done.stdout
