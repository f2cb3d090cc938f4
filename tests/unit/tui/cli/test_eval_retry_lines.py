"""Without a screen, an evaluation says once per sample and reason that it waits for the server."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox_tui.core.agent import request_with_retries
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.notes import LOADING
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.evaluation import begin_evaluation
from sandbox_tui.tui.cli.evals.headless import run_headless
from tests import scripted_server as s


async def test_a_sample_that_starts_over_says_so_and_a_failed_one_fails_the_command(
    scripted_server: Callable[..., s.ScriptedServer],
    store: Store,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = scripted_server(lambda _: s.failure(401, "no such key"))
    task = Task(id="sum", problem="2 + 2?", target="4")
    suite = Suite(name="s", tasks=(task,), scorers={"": "exact"}, modes=("vanilla",))
    settings = load({"model.name": "m", "model.base_url": server.url})
    evaluation = begin_evaluation(store, suite, settings, concurrency=9)
    assert await run_headless(evaluation, store, as_json=False) == 5
    out = capsys.readouterr().out
    again = [line for line in out.split("\n") if "starts over" in line]
    assert [line.partition(": ")[0] for line in again] == [
        "sum vanilla starts over, attempt 2 of 3",
        "sum vanilla starts over, attempt 3 of 3",
    ]
    again = f"`sandbox-tui eval resume {evaluation.info.id} --failed` reruns it."
    assert out.rstrip().endswith(f"1 sample without a score: {again}")


async def test_each_reason_for_a_retry_is_said_once_per_sample(
    scripted_server: Callable[..., s.ScriptedServer],
    store: Store,
    capsys: pytest.CaptureFixture[str],
) -> None:
    busy = s.failure(500, "The engine is overloaded.", retry_after="0.01")
    other = s.failure(502, "Bad gateway.", retry_after="0.01")
    server = scripted_server(busy, busy, other, busy, s.say("4"))
    task = Task(id="sum", problem="2 + 2?", target="4")
    suite = Suite(name="s", tasks=(task,), scorers={"": "exact"}, modes=("vanilla",))
    settings = load({"model.name": "m", "model.base_url": server.url})
    evaluation = begin_evaluation(store, suite, settings, concurrency=1)
    assert await run_headless(evaluation, store, as_json=False) == 0
    lines = capsys.readouterr().out.split("\n")
    assert [line for line in lines if "try" in line] == [
        "sum vanilla: try 2 of 5 in 1s: 500: The engine is overloaded.",
        "sum vanilla: try 4 of 5 in 1s: 502: Bad gateway.",
    ]
    assert any(line.startswith("1 of 1  sum vanilla: score 1") for line in lines)


async def test_a_server_that_loads_its_model_is_told_once_for_all_samples(
    scripted_server: Callable[..., s.ScriptedServer],
    store: Store,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(request_with_retries, "LOADING_RETRY_SECONDS", 0.01)
    server = scripted_server(*[s.loading(), s.loading(), s.say("4")] * 2)
    tasks = tuple(Task(id=name, problem="2 + 2?", target="4") for name in ("sum", "again"))
    suite = Suite(name="s", tasks=tasks, scorers={"": "exact"}, modes=("vanilla",))
    settings = load({"model.name": "m", "model.base_url": server.url})
    evaluation = begin_evaluation(store, suite, settings, concurrency=1)
    assert await run_headless(evaluation, store, as_json=False) == 0
    lines = capsys.readouterr().out.split("\n")
    assert lines.count(LOADING) == 1
    assert sum(": score 1" in line for line in lines) == 2
