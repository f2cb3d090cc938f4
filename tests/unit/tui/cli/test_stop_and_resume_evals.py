"""`eval resume`, `eval rm` and `eval stop` of evaluations that another program runs, or none."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.main import main

EVAL = "20261121-101112-abcde"


@pytest.fixture
def recorded(store: Store) -> Store:
    """A store with an evaluation of this program."""
    suite = Suite(name="s", tasks=(Task(id="a", problem="?", target="4"),), scorers={"": "exact"})
    info = EvalInfo(id=EVAL, suite="s", digest="d", model="m", concurrency=1, began_at=1.0)
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=load({})))
    return store


def give_to(store: Store, owner: ProcessIdentity) -> None:
    with store.transaction() as connection:
        connection.execute(
            "UPDATE evals SET owner_pid = ?, owner_started = ?, owner_host = ?", [*owner]
        )


def command(*words: str) -> Result:
    return CliRunner().invoke(main, ["eval", *words])


def test_an_evaluation_of_another_program_is_not_resumed(recorded: Store) -> None:
    give_to(recorded, ProcessIdentity(7, "2", "login-1"))
    done = command("resume", "last", "--headless")
    assert done.exit_code == 8
    assert "Another program (process 7 on login-1) is running the" in done.output


def test_an_evaluation_of_another_program_is_not_deleted(recorded: Store) -> None:
    done = command("rm", "last", "--yes")
    assert done.exit_code == 2
    assert "is still running: stop it" in done.output


def test_an_evaluation_is_stopped_where_it_runs(recorded: Store) -> None:
    nothing = command("stop")
    assert nothing.exit_code == 2
    assert "No evaluation runs in a program of its own" in nothing.output
    in_terminal = command("stop", EVAL)
    assert in_terminal.exit_code == 2
    assert "press x on its screen, or ctrl+c if it has none" in in_terminal.output
    give_to(recorded, ProcessIdentity(7, "2", "login-1"))
    assert "runs on login-1: stop it there" in command("stop", EVAL).output
    ledger.release(recorded, EVAL)
    assert "is interrupted, so there is nothing to stop" in command("stop", EVAL).output
    assert command("stop", "nothing").exit_code == 2
