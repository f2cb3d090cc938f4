"""`eval resume`, `eval rm` and `eval stop` of evaluations that another program runs, or none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.notes import LOADING
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.evals import watch_headless
from sandbox_tui.tui.cli.evals.named_evaluation import evaluation_to_resume
from sandbox_tui.tui.cli.evals.stop_eval import STOPPED
from sandbox_tui.tui.cli.main import main
from tests.unit.event_streams import started
from tests.waiting import HANG_SECONDS

EVAL = "20261121-101112-abcde"


@pytest.fixture
def recorded(store: Store) -> Store:
    """A store with an evaluation of this program."""
    add(store, EvalInfo(id=EVAL, suite="s", digest="d", model="m", began_at=1.0))
    return store


TASK = Task(id="a", problem="?", target="4")


def add(store: Store, info: EvalInfo, *tasks: Task) -> None:
    """Add an evaluation of this program, of one task or of these."""
    suite = Suite(name="s", tasks=tasks or (TASK,), scorers={"": "exact"})
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=load({})))


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


def test_the_newest_that_can_be_resumed_is_resumed(recorded: Store) -> None:
    """Not the newest of all, which runs elsewhere."""
    ledger.release(recorded, EVAL, "You stopped it.")
    newer = EvalInfo(id="20261122-101112-abcde", suite="s", digest="d", model="m", began_at=2.0)
    add(recorded, newer)
    assert evaluation_to_resume(recorded, "last", rerun_failed=False) == EVAL
    ended = {"status": "failed", "finish_reason": "model_error", "error": "503"}
    lost = [msgspec.structs.replace(one, **ended) for one in ledger.results(recorded, EVAL)]
    ledger.finish(recorded, EVAL, *lost)
    assert evaluation_to_resume(recorded, "last", rerun_failed=True) == EVAL
    assert evaluation_to_resume(recorded, "last", rerun_failed=False) == newer.id


def test_only_evaluations_that_can_be_stopped_or_resumed_are_completed(recorded: Store) -> None:
    shell = ShellComplete(main, {}, "sandbox-tui", "_SANDBOX_TUI_COMPLETE")

    def completed(name: str) -> list[str]:
        return [item.value for item in shell.get_completions(["eval", name], "")]

    assert (completed("stop"), completed("resume")) == (["last", EVAL], [])
    ledger.release(recorded, EVAL, "You stopped it.")
    assert (completed("stop"), completed("resume")) == ([], ["last", EVAL])


def test_failures_and_scores_are_listed_and_decide_the_exit_code(recorded: Store) -> None:
    ledger.release(recorded, EVAL)
    right, lost = ledger.results(recorded, EVAL)
    ledger.finish(
        recorded,
        EVAL,
        msgspec.structs.replace(right, status="scored", score=0.25),
        msgspec.structs.replace(lost, status="failed", finish_reason="sandbox_error"),
    )
    head, line, failed = command("ls").output.splitlines()
    assert head.split() == ["evaluation", "status", "done", "suite", "model", "score"]
    assert line.split()[:5] == [EVAL, "finished", "2", "of", "2"]
    assert line.endswith("vanilla 25.0 %, sandbox –")
    assert failed.strip() == "1 without a score"
    watched = command("watch", "--headless")
    assert watched.exit_code == 4
    assert f"`sandbox-tui eval resume {EVAL} --failed` reruns it." in watched.output


@pytest.mark.parametrize(
    ("scorer", "again"),
    [("judge", f"`sandbox-tui eval rescore {EVAL}` scores them again; "), ("hidden_tests", "")],
)
def test_samples_that_their_scorer_failed_are_not_just_rerun(
    recorded: Store, scorer: str, again: str
) -> None:
    ledger.release(recorded, EVAL)
    lost = [
        msgspec.structs.replace(one, status="unscored", scorer=scorer)
        for one in ledger.results(recorded, EVAL)
    ]
    ledger.finish(recorded, EVAL, *lost)
    watched = command("watch", "--headless").output
    assert (
        "2 samples without a score, because of the scorer: fix what it reports first. "
        f"{again}`sandbox-tui eval resume {EVAL} --failed` reruns them, which asks the model again."
    ) in watched


def test_watching_says_once_that_the_server_is_loading_its_model(
    recorded: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other = ledger.results(recorded, EVAL)
    for sample in (first, other):
        run_id = f"run-{sample.mode}"
        start = msgspec.structs.replace(started(run_id), seq=1)
        recorded.append(run_id, [start, e.Warned(seq=2, text=LOADING)])
        ledger.finish(
            recorded, EVAL, msgspec.structs.replace(sample, status="running", run_id=run_id)
        )
    looks: list[float] = []

    def look(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 2:
            ledger.release(recorded, EVAL)

    monkeypatch.setattr(watch_headless.time, "sleep", look)
    assert command("watch", "--headless").output.splitlines().count(LOADING) == 1
    assert len(looks) == 2


def test_an_evaluation_is_not_compared_with_itself(recorded: Store) -> None:
    done = command("compare", EVAL, "last")
    assert done.exit_code == 2
    assert done.stderr == f"sandbox-tui: {EVAL} and last are the same evaluation, {EVAL}.\n"


def test_fewer_tasks_of_the_same_suite_are_compared_without_a_warning(recorded: Store) -> None:
    other = EvalInfo(id="20261122-101112-abcde", suite="s", digest="e", model="m", began_at=2.0)
    add(recorded, other, TASK, Task(id="b", problem="??", target="5"))
    said = command("compare", EVAL, other.id).output.replace("difference", "")
    assert "differ" not in said
    third = EvalInfo(id="20261123-101112-abcde", suite="s", digest="f", model="m", began_at=3.0)
    add(recorded, third, Task(id="a", problem="Another?", target="5"))
    said = " ".join(command("compare", EVAL, third.id).output.split())
    assert "both differs: task a: question, target 4 → 5." in said


def test_nothing_left_to_resume_is_said_first(recorded: Store) -> None:
    ledger.release(recorded, EVAL)
    ended = [
        msgspec.structs.replace(one, status="scored", score=1.0)
        for one in ledger.results(recorded, EVAL)
    ]
    ledger.finish(recorded, EVAL, *ended)
    done = command("resume", EVAL, "--headless")
    assert done.output.splitlines()[1] == "Nothing is left to run."
    assert "score %" in done.output
    assert done.exit_code == 0


def test_an_evaluation_of_another_program_is_not_deleted(recorded: Store) -> None:
    done = command("rm", "last", "--yes")
    assert done.exit_code == 2
    assert "is still running: stop it" in done.output


def test_a_headless_evaluation_is_interrupted(recorded: Store) -> None:
    words = "import signal; print('ready', flush=True); signal.pause()"
    command_line = [sys.executable, "-c", words, "eval", "run", "s", "--headless"]
    program = subprocess.Popen(command_line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with program, ThreadPoolExecutor() as pool:
        assert program.stdout is not None
        program.stdout.readline()
        give_to(recorded, ProcessIdentity.of(program.pid))
        ended = pool.submit(program.wait)  # a process that nobody waits for seems alive
        stopped = command("stop")
        assert ended.result(HANG_SECONDS) == -signal.SIGINT
    assert stopped.exit_code == 0, stopped.output
    assert f"stopped {EVAL}: 0 of 2 samples done" in stopped.output


def test_it_is_recorded_that_eval_stop_stopped_it(recorded: Store) -> None:
    ledger.set_stopped_because(recorded, EVAL, STOPPED)
    assert ledger.summary(recorded, EVAL).stopped_because == ""  # it still runs
    ledger.release(recorded, EVAL, "The program received SIGINT.")
    ledger.set_stopped_because(recorded, EVAL, STOPPED)
    assert STOPPED in command("ls").output
    ledger.release(recorded, EVAL)
    ledger.set_stopped_because(recorded, EVAL, STOPPED)
    assert ledger.summary(recorded, EVAL).stopped_because == ""  # it had finished


def test_an_evaluation_is_stopped_where_it_runs(recorded: Store) -> None:
    for words in ((), (EVAL,)):
        in_terminal = command("stop", *words)
        assert in_terminal.exit_code == 2
        assert f"(process {os.getpid()})" in in_terminal.output
        assert "press x on its screen, or ctrl+c if it has none" in in_terminal.output
        assert f"`kill -INT {os.getpid()}` does the same" in in_terminal.output
    give_to(recorded, ProcessIdentity(7, "2", "login-1"))
    assert "runs on login-1 (process 7): stop it there" in command("stop", EVAL).output
    ledger.release(recorded, EVAL)
    nothing = command("stop")
    assert nothing.exit_code == 2
    assert "No evaluation runs now" in nothing.output
    assert "is interrupted, so there is nothing to stop" in command("stop", EVAL).output
    assert command("stop", "nothing").exit_code == 2


def test_an_evaluation_that_has_not_ended_has_no_end(store: Store) -> None:
    add(store, EvalInfo(id="20261122-101112-abcde", suite="s", digest="d", model="m", began_at=2.0))
    found = json.loads(command("ls", "--json").stdout.splitlines()[0])
    assert (found["began_at"], found["ended_at"]) == (2.0, None)
