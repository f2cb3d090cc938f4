"""What a command deletes is deleted and counted once, however often it is named."""

from __future__ import annotations

import msgspec
from click.testing import CliRunner, Result

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.main import main
from tests.unit.event_streams import started
from tests.unit.sessions.rl.recorded import start_training

RUN = "20261120-101112-abcde"
EVAL = "20261121-101112-abcde"


def remove(*words: str) -> Result:
    return CliRunner().invoke(main, [*words, "--yes"])


def test_a_session(store: Store) -> None:
    end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
    store.append(RUN, [msgspec.structs.replace(started(RUN)), end])
    done = remove("sessions", "rm", RUN, "last", RUN[:12])
    assert (done.exit_code, done.output.count("deleted")) == (0, 1)


def test_an_evaluation(store: Store) -> None:
    suite = Suite(name="s", tasks=(Task(id="a", problem="?", target="4"),), scorers={"": "exact"})
    info = EvalInfo(id=EVAL, suite="s", digest="d", model="m", concurrency=1, began_at=1.0)
    for flags in ([], ["--sessions"]):
        ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=load({})))
        ledger.release(store, EVAL)
        done = remove("eval", "rm", EVAL, "last", *flags)
        assert (done.exit_code, done.output.count("deleted")) == (0, 1), done.output


def test_a_training(store: Store) -> None:
    for flags in ([], ["--sessions"]):
        recorder = start_training(store)
        recorder.finish("finished", "")
        done = remove("rl", "rm", "last", recorder.training_id, *flags)
        assert (done.exit_code, done.output.count("deleted")) == (0, 1), done.output
