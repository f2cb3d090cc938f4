"""Evaluations on real parts: sandboxes, a server on loopback, a database."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.base.errors import ConfigError, StoreError
from sandbox_tui.core.config.settings import load, snapshot_dir
from sandbox_tui.core.evals.reporting.outcomes import exit_code
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.evals.scorers.base import Attempt, Score, ScorerFailed
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events import types as e
from sandbox_tui.core.sandboxes.snapshot_store import SnapshotStores
from sandbox_tui.sessions import RunRegistry, Store, replay
from sandbox_tui.sessions.evals.evaluation import Evaluation, begin_evaluation, resume_evaluation
from sandbox_tui.sessions.evals.exceeded_budget import exceeded_budget
from sandbox_tui.sessions.evals.runner import EvalRunner
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.eval_ledger import Budget
from sandbox_tui.tui.screens.evals.screen_data import data_of
from sandbox_tui.tui.screens.evals.source import RecordedEval
from tests import scripted_server as s
from tests.arithmetic_model import reply
from tests.integration.conftest import TEST_IMAGE, require
from tests.waiting import HANG_SECONDS

Start = Callable[..., s.ScriptedServer]


@dataclass
class LastNumber:
    """Scores the last number in an answer."""

    name: str = "last_number"

    async def score(self, attempt: Attempt) -> Score:
        found = re.findall(r"\d+", attempt.answer or "")
        if attempt.task.metadata.get("broken"):
            raise ScorerFailed("The judge does not answer.")
        right = bool(found) and found[-1] == attempt.task.target
        return Score(value=float(right), explanation=f"{found[-1:]} is to be {attempt.task.target}")


def suite(count: int = 4, **more: Any) -> Suite:
    pairs = [(1000 + n, 70 + n) for n in range(count)]
    tasks = tuple(
        Task(id=f"t{n}", problem=f"What is {a} * {b}?", target=str(a * b), domain="math")
        for n, (a, b) in enumerate(pairs)
    )
    fields: dict[str, Any] = {"scorers": {"": f"{__name__}:LastNumber"}, "tasks": tasks}
    return Suite(name="products", **{**fields, **more})


def settings(server: s.ScriptedServer, kind: str = "bubblewrap", **more: Any) -> Any:
    return load(
        {
            "model.name": "scripted",
            "model.base_url": server.url,
            "sandbox.kind": kind,
            "sandbox.image": TEST_IMAGE,
            **more,
        }
    )


def scores(results: list[SampleResult]) -> dict[tuple[str, str, int], float | None]:
    return {(one.task, one.mode, one.number): one.score for one in results}


EXPECTED = {
    (f"t{n}", mode, 1): float(mode == "sandbox" or n % 2 == 0)
    for n in range(4)
    for mode in ("vanilla", "sandbox")
}


@pytest.mark.parametrize("kind", ["docker", "bubblewrap"])
async def test_each_sample_is_a_scored_session(
    kind: str, scripted_server: Start, store: Store
) -> None:
    require(kind)
    server = scripted_server(reply)
    evaluation = begin_evaluation(
        store, suite(), settings(server, kind), concurrency=3, command="x"
    )
    registry = RunRegistry(store)
    await EvalRunner(evaluation, registry).run()
    results = ledger.results(store, evaluation.info.id)
    assert scores(results) == EXPECTED
    assert not registry.all
    summary = ledger.summary(store)
    assert summary.status == "finished"
    assert summary.info.sandbox == kind
    assert bool(re.fullmatch(r"[1-9]\d* MB", summary.info.image_size)) == (kind == "docker")
    for one in results:
        events = list(replay(store, one.run_id))
        started = events[0]
        assert isinstance(started, e.RunStarted)
        assert started.settings is not None
        assert started.settings.labels["task"] == one.task
        assert started.sandbox == ("none" if one.mode == "vanilla" else kind)
        assert [type(event) for event in events[-2:]] == [e.Scored, e.RunFinished]
        assert one.steps == (1 if one.mode == "vanilla" else 2)
        ended = events[-1]
        assert isinstance(ended, e.RunFinished)
        assert one.seconds > 0
        assert one.scoring_seconds > 0
        assert one.seconds + one.scoring_seconds == pytest.approx(ended.totals.seconds)
        assert one.input_tokens == 100 * one.steps
        measured = kind == "docker" and one.mode == "sandbox"
        assert (one.memory_peak is not None) == measured
        assert not measured or 0 < (one.memory_idle or 0) <= (one.memory_peak or 0)
    seeds = {
        (request["seed"], "tools" in request)
        for request in server.requests
        if not any(message["role"] == "assistant" for message in request["messages"])
    }
    assert len(seeds) == 8  # one per task, the same in both modes
    assert len({seed for seed, _ in seeds}) == 4


@pytest.mark.parametrize("kind", ["docker", "bubblewrap"])
async def test_samples_leave_no_snapshots(kind: str, scripted_server: Start, store: Store) -> None:
    """Regardless of the user's settings: only a suite can enable them."""
    require(kind)
    server = scripted_server(reply)
    settings_ = settings(server, kind, **{"sandbox.snapshots": "every"})
    taken = {"as settings": 0, "as the suite": 0}
    for name, of_suite in (("as settings", {}), ("as the suite", {"snapshots": "every"})):
        one = suite(1, modes=("sandbox",), sandbox=of_suite)
        evaluation = begin_evaluation(store, one, settings_, concurrency=1)
        await EvalRunner(evaluation, RunRegistry(store)).run()
        (result,) = ledger.results(store, evaluation.info.id)
        events = list(replay(store, result.run_id))
        taken[name] = sum(isinstance(event, e.SnapshotTaken) for event in events)
        for image in SnapshotStores(snapshot_dir()).list(result.run_id)[0]:
            assert name == "as the suite"
            SnapshotStores(snapshot_dir()).remove_all([image])
    assert taken["as settings"] == 0
    assert taken["as the suite"] > 0


async def test_documents_are_files_or_a_part_of_the_prompt(
    scripted_server: Start, store: Store
) -> None:
    require("bubblewrap")
    server = scripted_server(reply)
    one = suite(1)
    files = {"long.txt": b"needle " * 4000, "short.txt": b"All of it."}
    task = replace_task(one.tasks[0], files=files)
    modes = ("vanilla", "sandbox", "sandbox-context")
    asked = replace(one, tasks=(task,), modes=modes, window=1000)
    evaluation = begin_evaluation(store, asked, settings(server), concurrency=1)
    await EvalRunner(evaluation, RunRegistry(store)).run()
    vanilla, sandbox, context = ledger.results(store, evaluation.info.id)
    for result, inlined in ((vanilla, True), (sandbox, False), (context, True)):
        started = next(iter(replay(store, result.run_id)))
        assert isinstance(started, e.RunStarted)
        assert started.settings is not None
        assert ("BEGIN DOCUMENT 2: short.txt\nAll of it.\nEND" in started.task) == inlined
        assert ("cut here" in started.task) == inlined
        assert (started.settings.labels.get("documents_cut") == "long.txt") == inlined
        assert set(started.settings.files) == (set() if inlined else set(files))


def replace_task(task: Task, **more: Any) -> Task:
    import msgspec

    return msgspec.structs.replace(task, **more)


async def test_a_failed_scorer_gives_no_score(scripted_server: Start, store: Store) -> None:
    server = scripted_server(reply)
    one = suite(2, modes=("vanilla",))
    tasks = (replace_task(one.tasks[0], metadata={"broken": True}), one.tasks[1])
    evaluation = begin_evaluation(store, replace(one, tasks=tasks), settings(server), concurrency=1)
    await EvalRunner(evaluation, RunRegistry(store)).run()
    failed, scored = ledger.results(store, evaluation.info.id)
    assert (failed.status, failed.score) == ("unscored", None)
    assert failed.error == "The judge does not answer."
    assert scored.status == "scored"


async def test_failing_infrastructure_is_retried_and_then_pauses_the_evaluation(
    scripted_server: Start, store: Store
) -> None:
    """A server that is down pauses the evaluation; no sample is scored because of it."""
    down = True

    def answer(request: dict[str, Any]) -> s.Scripted:
        return s.failure(401, "no such key") if down else reply(request)

    server = scripted_server(answer)
    evaluation = begin_evaluation(
        store, suite(4, modes=("vanilla",)), settings(server), concurrency=2
    )
    runner = EvalRunner(evaluation, RunRegistry(store))
    working = asyncio.create_task(runner.run())
    paused = asyncio.Event()
    runner.observers.append(lambda _: paused.set() if runner.paused_because else None)
    await paused.wait()
    assert "no such key" in runner.paused_because
    assert not any(one.status == "scored" for one in runner.samples.values())
    down = False
    await runner.resume()
    await working
    assert [one.status for one in ledger.results(store, evaluation.info.id)] == ["scored"] * 4


async def test_a_time_limit_while_the_server_fails_gives_no_score(
    scripted_server: Start, store: Store
) -> None:
    """The sample says nothing about the model: it has no score, and runs again when asked to."""
    down = True

    def answer(request: dict[str, Any]) -> s.Scripted:
        return s.failure(503, "out of order") if down else reply(request)

    server = scripted_server(answer)
    limits = {"limits.time_limit": 2.5}
    evaluation = begin_evaluation(
        store, suite(1, modes=("vanilla",)), settings(server, **limits), concurrency=1
    )
    await EvalRunner(evaluation, RunRegistry(store)).run()
    (sample,) = ledger.results(store, evaluation.info.id)
    assert (sample.status, sample.score, sample.finish_reason) == (
        "failed",
        None,
        "model_unavailable",
    )
    assert "limit of 2.5 s" in sample.error
    assert "out of order" in sample.error
    assert exit_code([sample]) == 5
    assert not any(isinstance(event, e.Scored) for event in replay(store, sample.run_id))
    down = False
    taken = resume_evaluation(
        store, evaluation.info.id, settings(server, **limits), None, rerun_lost=True
    )
    await EvalRunner(taken, RunRegistry(store)).run()
    (sample,) = ledger.results(store, evaluation.info.id)
    assert (sample.status, sample.score) == ("scored", 1.0)


async def test_a_time_limit_while_the_server_loads_its_model_gives_no_score(
    scripted_server: Start, store: Store
) -> None:
    server = scripted_server(lambda _: s.loading())
    evaluation = begin_evaluation(
        store,
        suite(1, modes=("vanilla",)),
        settings(server, **{"limits.time_limit": 2.5}),
        concurrency=1,
    )
    await EvalRunner(evaluation, RunRegistry(store)).run()
    (sample,) = ledger.results(store, evaluation.info.id)
    assert (sample.status, sample.finish_reason) == ("failed", "model_unavailable")


async def test_a_time_limit_while_the_model_writes_is_scored(
    scripted_server: Start, store: Store
) -> None:
    """A part of the second reply had arrived: the server works, and the model was too slow."""
    asked = 0

    def answer(_: dict[str, Any]) -> s.Scripted:
        nonlocal asked
        asked += 1
        return s.failure(503) if asked == 1 else s.stream(s.chunk({"content": "7"}), HANG_SECONDS)

    server = scripted_server(answer)
    evaluation = begin_evaluation(
        store,
        suite(1, modes=("vanilla",)),
        settings(server, **{"limits.time_limit": 4.0}),
        concurrency=1,
    )
    await EvalRunner(evaluation, RunRegistry(store)).run()
    (sample,) = ledger.results(store, evaluation.info.id)
    assert (sample.status, sample.score, sample.finish_reason) == ("scored", 0.0, "time_limit")


async def test_a_stopped_evaluation_is_resumed_where_it_stood(
    scripted_server: Start, store: Store
) -> None:
    require("bubblewrap")
    hold = asyncio.Event()
    server = scripted_server(reply)
    evaluation = begin_evaluation(store, suite(), settings(server), concurrency=2)
    runner = EvalRunner(evaluation, RunRegistry(store))
    runner.observers.append(lambda changed: hold.set() if changed and changed.over else None)
    working = asyncio.create_task(runner.run())
    await hold.wait()
    await runner.stop("You stopped it.")
    await working
    summary = ledger.summary(store)
    assert summary.status == "interrupted"
    assert summary.stopped_because == "You stopped it."
    before = [one for one in ledger.results(store, evaluation.info.id) if one.over]
    assert 0 < len(before) < 8
    taken = resume_evaluation(store, "last", settings(server), None)
    assert taken.plan.suite.digest(taken.plan.packs.values()) == evaluation.info.digest
    await EvalRunner(taken, RunRegistry(store)).run()
    after = ledger.results(store, evaluation.info.id)
    assert scores(after) == EXPECTED
    kept = {one.key: one for one in after}
    assert all(kept[one.key] == one for one in before)


async def started(
    server: s.ScriptedServer, store: Store, asked: threading.Event
) -> tuple[EvalRunner, asyncio.Task[None]]:
    """Start an evaluation of one sample and wait until its model is asked."""
    evaluation = begin_evaluation(
        store, suite(1, modes=("sandbox",)), settings(server), concurrency=1
    )
    runner = EvalRunner(evaluation, RunRegistry(store))
    working = asyncio.create_task(runner.run())
    assert await asyncio.to_thread(asked.wait, HANG_SECONDS)
    return runner, working


async def test_a_cancelled_sample_keeps_its_session_until_it_runs_again(
    scripted_server: Start, store: Store
) -> None:
    require("bubblewrap")
    asked, go = threading.Event(), threading.Event()

    def held(request: dict[str, Any]) -> s.Scripted:
        asked.set()
        assert go.wait(HANG_SECONDS)
        return reply(request)

    server = scripted_server(held)
    runner, working = await started(server, store, asked)
    await runner.stop("You stopped it.")
    await working
    (sample,) = ledger.results(store, ledger.summary(store).info.id)
    assert (sample.status, sample.cancelled, sample.attempts) == ("pending", True, 0)
    assert store.run(sample.run_id).outcome == "cancelled"
    go.set()
    again = EvalRunner(resume_evaluation(store, "last", settings(server), None), RunRegistry(store))
    shown: list[SampleResult] = []
    again.observers.append(lambda changed: shown.append(changed) if changed else None)
    await again.run()
    assert not any(one.cancelled for one in shown)
    (sample,) = ledger.results(store, ledger.summary(store).info.id)
    assert (sample.status, sample.finish_reason, sample.attempts) == ("scored", "submitted", 1)


async def test_the_digest_covers_the_prompt_pack(
    scripted_server: Start, store: Store, tmp_path: Path
) -> None:
    server = scripted_server(reply)
    texts = "system_prompt: ''\ninstance_prompt: '{problem_statement}'\n"
    here, there = tmp_path / "mine.yaml", tmp_path / "same.yaml"
    for file in (here, there):
        file.write_text(texts)

    def started_from(file: Path) -> Evaluation:
        one = suite(1, modes=("vanilla",), vanilla_prompts=str(file))
        return begin_evaluation(store, one, settings(server), concurrency=1)

    first = started_from(here)
    assert started_from(there).info.digest == first.info.digest
    here.write_text(texts.replace("problem_statement}", "problem_statement} Think."))
    assert started_from(here).info.digest != first.info.digest
    with pytest.raises(ConfigError, match="The prompt pack mine has changed since"):
        resume_evaluation(store, first.info.id, settings(server), None)
    here.write_text(texts)
    await EvalRunner(
        resume_evaluation(store, first.info.id, settings(server), 3), RunRegistry(store)
    ).run()
    summary = ledger.summary(store, first.info.id)
    assert summary.status == "finished"
    assert (summary.info.concurrency_before, summary.info.concurrency) == ((1,), 3)


async def test_samples_that_an_error_ended_are_rerun_and_no_others(
    scripted_server: Start, store: Store
) -> None:
    """All attempts failed: the evaluation is finished, and its failure can be seen and mended."""
    down = True

    def answer(request: dict[str, Any]) -> s.Scripted:
        broken = down and "1001" in str(request["messages"])
        return s.failure(401, "no such key") if broken else reply(request)

    server = scripted_server(answer)
    evaluation = begin_evaluation(
        store, suite(4, modes=("vanilla",)), settings(server), concurrency=9
    )
    await EvalRunner(evaluation, RunRegistry(store)).run()
    found = ledger.summary(store)
    assert (found.status, found.over, found.lost, found.can_resume) == ("finished", 4, 1, True)
    assert found.scores == {"vanilla": pytest.approx(2 / 3)}  # t2 and t0 are right, t3 is wrong
    before = ledger.results(store, found.info.id)
    assert exit_code(before) == 5
    down = False
    taken = resume_evaluation(store, found.info.id, settings(server), None, rerun_lost=True)
    await EvalRunner(taken, RunRegistry(store)).run()
    found = ledger.summary(store)
    assert (found.status, found.lost, found.can_resume) == ("finished", 0, False)
    after = ledger.results(store, found.info.id)
    assert [now == then for now, then in zip(after, before, strict=True)] == [
        True,
        False,
        True,
        True,
    ]
    assert (after[1].status, after[1].attempts, exit_code(after)) == ("scored", 1, 0)


async def test_what_a_cancelled_sample_spent_stays_in_the_total(
    scripted_server: Start, store: Store
) -> None:
    require("bubblewrap")
    asked_twice, go = threading.Event(), threading.Event()

    def held(request: dict[str, Any]) -> s.Scripted:
        if any(message["role"] == "assistant" for message in request["messages"]):
            asked_twice.set()
            assert go.wait(HANG_SECONDS)
        return reply(request)

    server = scripted_server(held)
    runner, working = await started(server, store, asked_twice)

    def total() -> int:
        shown = RecordedEval(ledger.summary(store), store).read()
        assert shown is not None
        return data_of(shown).tokens

    assert total() == 0  # what runs is added where it is shown
    await runner.stop("You stopped it.")
    await working
    stopped = total()
    assert stopped > 0
    go.set()
    again = EvalRunner(resume_evaluation(store, "last", settings(server), None), RunRegistry(store))
    await again.run()
    (sample,) = ledger.results(store, ledger.summary(store).info.id)
    assert total() == stopped + sample.input_tokens + sample.output_tokens


async def test_a_budget_ends_it(scripted_server: Start, store: Store) -> None:
    server = scripted_server(reply)
    budget = Budget(tokens=250)
    evaluation = begin_evaluation(
        store, suite(4, modes=("vanilla",)), settings(server), concurrency=1, budget=budget
    )
    runner = EvalRunner(evaluation, RunRegistry(store))
    await runner.run()
    assert runner.stopped_because == "Its budget of 250 tokens is used up."
    assert sum(one.over for one in runner.samples.values()) == 3


async def test_each_resume_has_the_whole_budget_or_another(
    scripted_server: Start, store: Store
) -> None:
    """Each sample takes 100 tokens."""
    server, registry = scripted_server(reply), RunRegistry(store)

    async def left_after(evaluation: Evaluation) -> int:
        runner = EvalRunner(evaluation, registry)
        await runner.run()
        return sum(not one.over for one in runner.samples.values())

    def resumed(budget: Budget | None = None) -> Evaluation:
        return resume_evaluation(store, "last", settings(server), None, budget=budget)

    evaluation = begin_evaluation(
        store,
        suite(9, modes=("vanilla",)),
        settings(server),
        concurrency=1,
        budget=Budget(tokens=150),
    )
    assert await left_after(evaluation) == 7
    assert await left_after(resumed()) == 5
    assert await left_after(resumed(Budget(tokens=50))) == 4
    assert await left_after(resumed()) == 3
    assert await left_after(resumed(Budget())) == 0
    assert not exceeded_budget(store, evaluation.info)


async def test_a_budget_covers_attempts_that_failed(scripted_server: Start, store: Store) -> None:
    """Each attempt takes one reply and fails at its second, which costs as much as any other."""

    def answer(request: dict[str, Any]) -> s.Scripted:
        asked_again = any(message["role"] == "assistant" for message in request["messages"])
        return s.failure(401) if asked_again else reply(request)

    server = scripted_server(answer)
    one_task = suite(1, modes=("sandbox",))
    evaluation = begin_evaluation(
        store, one_task, settings(server), concurrency=1, budget=Budget(tokens=150)
    )
    runner = EvalRunner(evaluation, RunRegistry(store))
    await runner.run()
    assert runner.stopped_because == "Its budget of 150 tokens is used up."
    assert [one.attempts for one in runner.samples.values()] == [2]


async def test_an_evaluation_that_cannot_start_writes_nothing(
    scripted_server: Start, store: Store
) -> None:
    server = scripted_server(reply)
    bare = suite(1, scorers={}, tasks=(Task(id="1", problem="1 + 1", target="2"),))
    for wrong, words in (
        (suite(0), "has no tasks"),
        (suite(1, scorers={}), "names no scorer for the domain 'math'"),
        (bare, "needs a scorer: --scorer exact, number"),
        (suite(1, scorers={"": "no_such"}), "no scorer 'no_such'"),
        (suite(1, prompts="no_such"), "no prompt pack 'no_such'"),
        (suite(1, limits={"max_steps": "many"}), "max_steps"),
    ):
        with pytest.raises(ConfigError, match=words):
            begin_evaluation(store, wrong, settings(server), concurrency=1)
    assert not ledger.summaries(store)
    with pytest.raises(StoreError, match="There are no evaluations yet"):
        ledger.summary(store)


async def test_an_unwritable_ledger_ends_the_running_samples(
    scripted_server: Start, store: Store
) -> None:
    """Otherwise nothing owns them, and the evaluation stays active as long as the program runs."""
    second_asked, over = threading.Event(), threading.Event()

    def answer(request: dict[str, Any]) -> s.Scripted:
        if "1001" in str(request["messages"]):
            second_asked.set()
            over.wait()
        second_asked.wait()
        return reply(request)

    server = scripted_server(answer)
    evaluation = begin_evaluation(
        store, suite(2, modes=("vanilla",)), settings(server), concurrency=2
    )
    with store.transaction() as connection:
        connection.execute(
            "CREATE TRIGGER refused BEFORE UPDATE ON eval_samples"
            " WHEN new.task = 't0' AND new.status = 'scored'"
            " BEGIN SELECT RAISE(ABORT, 'refused by the test'); END"
        )
    registry = RunRegistry(store)
    runner = EvalRunner(evaluation, registry)
    try:
        with pytest.raises(StoreError, match="refused by the test"):
            await runner.run()
        assert registry.unfinished == []
    finally:
        over.set()
    summary = ledger.summary(store)
    assert summary.status == "interrupted"
    assert "refused by the test" in summary.stopped_because
    with store.transaction() as connection:
        connection.execute("DROP TRIGGER refused")
    await EvalRunner(resume_evaluation(store, "last", settings(server), None), registry).run()
    assert [one.status for one in ledger.results(store, evaluation.info.id)] == ["scored"] * 2
