"""`eval rescore`: recorded answers are scored again; the old scores stay."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec
import pytest
from click.testing import CliRunner, Result

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.evals.eval_sessions import own_sessions
from sandbox_tui.tui.cli.main import main
from tests.unit.event_streams import started

FINISHED = e.RunFinished(t=2.0, reason="submitted", error="", totals=e.Totals())

OLD = "20261121-101112-abcde"

ANSWERS = {"right": "4", "loose": "It is 4, I think", "wrong": "5"}


@dataclass
class Contains:
    """Accepts an answer that contains the target; fails for the task `wrong` until it is fixed."""

    is_fixed: bool = True
    name: str = field(default="contains", init=False)

    async def score(self, attempt: Attempt) -> Score:
        if attempt.task.id == "wrong" and not self.is_fixed:
            raise ScorerFailed("The judge does not answer.")
        assert attempt.sandbox is None
        found = attempt.task.target in (attempt.answer or "")
        return Score(value=float(found), explanation=f"Looked in {attempt.answer!r}.")


CONTAINS = f"{__name__}:Contains"


@dataclass
class Readied(Contains):
    """Counts how often it was made ready, which may start a process or read a model."""

    times: ClassVar[int] = 0

    def check_ready(self) -> None:
        """Count."""
        type(self).times += 1


def evaluation(store: Store, scorer: str = "exact", **more: Any) -> None:
    """Add a finished evaluation of three tasks, of which the scorer accepted only `right`."""
    tasks = tuple(Task(id=name, problem="2 + 2?", target="4") for name in ANSWERS)
    fields = {"tasks": tasks, "scorers": {"": scorer}, **more}
    suite = Suite(name="sums", modes=("vanilla",), **fields)
    info = EvalInfo(
        id=OLD, suite="sums", digest=suite.digest(), model="m", modes=("vanilla",), began_at=1.0
    )
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=load({})))
    for one in ledger.results(store, OLD):
        done = msgspec.structs.replace(
            one,
            status="scored",
            score=float(one.task == "right"),
            answer=ANSWERS[one.task],
            run_id=f"run-{one.task}",
            finish_reason="submitted",
            attempts=1,
        )
        ledger.finish(store, OLD, done)
    ledger.release(store, OLD)


def change(store: Store, task: str, **fields: Any) -> None:
    (one,) = (one for one in ledger.results(store, OLD) if one.task == task)
    ledger.finish(store, OLD, msgspec.structs.replace(one, **fields))


def rescore(*words: str) -> Result:
    return CliRunner().invoke(main, ["eval", "rescore", *words])


def scores(store: Store, eval_id: str) -> dict[str, float | None]:
    return {one.task: one.score for one in ledger.results(store, eval_id)}


def newest(store: Store) -> EvalInfo:
    return ledger.summaries(store)[0].info


def test_another_scorer_makes_another_evaluation_and_the_old_one_stays(store: Store) -> None:
    evaluation(store)
    before = ledger.results(store, OLD)
    done = rescore(OLD[-5:], "--scorer", CONTAINS)
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert lines[0] == "loose vanilla: 0 → 1 Looked in 'It is 4, I think'."
    new = newest(store)
    assert "1 of 3 verdicts changed, of 1 task: 1 higher." in lines
    assert f"`sandbox-tui eval compare {OLD} {new.id}` compares them." in lines
    assert ledger.results(store, OLD) == before
    assert scores(store, new.id) == {"right": 1.0, "loose": 1.0, "wrong": 0.0}
    assert (new.answers_of, new.scored_by, new.model) == (OLD, CONTAINS, "m")
    assert new.digest != ledger.summary(store, OLD).info.digest
    assert [one.run_id for one in ledger.results(store, new.id)] == [one.run_id for one in before]
    assert ledger.summary(store, new.id).status == "finished"
    report = CliRunner().invoke(main, ["eval", "report", new.id, "--format", "markdown"]).output
    assert f"scored again: the answers of {OLD}" in report
    listed = CliRunner().invoke(main, ["eval", "ls"]).output
    assert f"answers of {OLD}" in listed
    compared = CliRunner().invoke(main, ["eval", "compare", OLD, new.id]).output
    assert "1 task better on the right" in compared
    again = rescore(new.id, "--scorer", "exact")
    assert "1 of 3 verdicts changed, of 1 task: 1 lower." in again.output


def test_the_same_verdicts_add_nothing(store: Store) -> None:
    evaluation(store)
    done = rescore()
    assert done.exit_code == 0
    assert "0 of 3 verdicts changed." in done.output
    assert len(ledger.summaries(store)) == 1


def test_what_a_scorer_failed_for_is_scored_once_it_is_fixed(store: Store) -> None:
    evaluation(store, CONTAINS)
    change(store, "wrong", status="unscored", score=None, error="The judge does not answer.")
    done = rescore("--json")
    assert done.exit_code == 0
    loose, wrong = map(json.loads, done.stdout.splitlines())
    assert (loose["task"], loose["score"], loose["before"]["score"]) == ("loose", 1, 0)
    assert (wrong["task"], wrong["score"], wrong["error"]) == ("wrong", 0, "")
    assert wrong["before"]["error"] == "The judge does not answer."
    assert "2 of 3 verdicts changed, of 2 tasks: 1 higher, 1 scored for the first" in done.stderr


def test_a_scorer_that_fails_leaves_no_score_and_no_success(store: Store) -> None:
    evaluation(store, CONTAINS, scorer_options={CONTAINS: {"is_fixed": False}})
    done = rescore()
    assert done.exit_code == 1
    assert "wrong vanilla: 0 → no score The judge does not answer." in done.output
    assert scores(store, newest(store).id)["wrong"] is None
    assert scores(store, OLD)["wrong"] == 0.0


@pytest.mark.parametrize("words", [[], ["--scorer", "hidden_tests"]], ids=["own", "named"])
def test_a_scorer_that_works_in_a_sandbox_is_refused(store: Store, words: list[str]) -> None:
    evaluation(store, "exact" if words else "hidden_tests")
    done = rescore(*words)
    assert done.exit_code == 2
    assert "The scorer hidden_tests works in a sandbox" in done.output + done.stderr
    assert len(ledger.summaries(store)) == 1


def test_samples_of_such_a_scorer_keep_their_scores_among_others(store: Store) -> None:
    tasks = (
        Task(id="right", problem="?", target="4", scorer="hidden_tests"),
        Task(id="loose", problem="?", target="4"),
        Task(id="wrong", problem="?", target="4"),
    )
    evaluation(store, CONTAINS, tasks=tasks)
    done = rescore()
    assert "1 of 2 verdicts changed" in done.output
    assert "1 sample keeps its score: hidden_tests works in a sandbox" in done.output
    assert scores(store, newest(store).id)["right"] == 1.0


def test_what_is_left_of_an_interrupted_evaluation_stays_left(store: Store) -> None:
    evaluation(store)
    change(store, "wrong", status="pending", score=None, finish_reason="cancelled")
    rescore("--scorer", CONTAINS)
    found = ledger.summary(store, newest(store).id)
    assert (found.status, found.over, found.samples) == ("interrupted", 2, 3)


def test_a_running_evaluation_and_one_without_answers_are_refused(store: Store) -> None:
    evaluation(store)
    ledger.take_ownership(store, OLD)
    done = rescore()
    assert done.exit_code == 2
    assert "is still running" in done.output + done.stderr
    ledger.release(store, OLD)
    for task in ANSWERS:
        change(store, task, status="pending", score=None)
    done = rescore()
    assert done.exit_code == 2
    assert "there is no answer to score" in done.output + done.stderr


def test_a_scorer_that_needs_a_target_is_refused_without_one(store: Store) -> None:
    tasks = tuple(Task(id=name, problem="?", target="") for name in ANSWERS)
    evaluation(store, CONTAINS, tasks=tasks)
    done = rescore("--scorer", "exact")
    assert done.exit_code == 2
    assert "there is no target to compare the answer with" in done.output + done.stderr


def test_other_programs_word_for_it_names_the_command() -> None:
    done = CliRunner().invoke(main, ["eval", "score", "x"])
    assert "`eval rescore` scores the recorded answers" in done.output


def test_sessions_of_another_evaluation_stay_with_it(store: Store) -> None:
    """The new evaluation has the sessions of the old one: they are deleted with the last of both."""
    evaluation(store)
    for one in ledger.results(store, OLD):
        store.append(one.run_id, [started(one.run_id), FINISHED])
        with store.transaction() as connection:
            connection.execute("INSERT INTO eval_runs VALUES (?, ?)", [one.run_id, OLD])
    assert rescore("--scorer", CONTAINS).exit_code == 0
    new = newest(store).id
    asked = CliRunner().invoke(main, ["eval", "rm", OLD, "--sessions"], input="n")
    assert "It has no sessions of its own; those of another evaluation stay." in asked.output
    done = CliRunner().invoke(main, ["eval", "rm", OLD, "--sessions", "--yes"])
    assert f"deleted {OLD}. It has no sessions of its own; those of another" in done.output
    assert len(own_sessions(store, new)) == store.count() == 3
    done = CliRunner().invoke(main, ["eval", "rm", new, "--sessions", "--yes"])
    assert f"deleted {new} and 3 sessions" in done.output
    assert store.count() == 0


def test_a_scorer_is_made_once(store: Store) -> None:
    evaluation(store)
    Readied.times = 0
    assert rescore(OLD, "--scorer", f"{__name__}:Readied").exit_code == 0
    assert Readied.times == 1
