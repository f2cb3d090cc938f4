"""Runs whose model server is away for too long, and that are resumed when it is back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox_tui.core.agent.conversation_from_events import conversation
from sandbox_tui.core.agent.loop import messages_digest
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, RunWorker, Store, replay
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import KINDS, settings
from tests.waiting import HANG_SECONDS


@pytest.fixture
async def workers(tmp_path: Path) -> AsyncIterator[RunRegistry]:
    workers = RunRegistry(Store(tmp_path / "s.db"))
    yield workers
    await workers.stop("The test is over.")
    workers.store.close()


async def ended(worker: RunWorker) -> e.RunFinished:
    await asyncio.wait_for(worker.ended.wait(), HANG_SECONDS)
    if worker.failure is not None:
        raise worker.failure
    assert worker.state.finished is not None
    return worker.state.finished


async def run_until_the_server_is_away(kind: str, folder: Path, workers: RunRegistry) -> int:
    """A run whose server goes away after one step; returns the server's port."""
    with s.ScriptedServer([s.call("execute_bash", command="echo kept > kept; X=1")]) as server:
        port = server.port
        given = {"model.name": "m", "model.base_url": server.url, "limits.max_attempts": 1}
        request = RunRequest(task="t", settings=settings(kind, **given), output=folder / "out")
        worker = workers.begin(request)
        async for event in worker.watch():
            if isinstance(event, e.CallStarted):
                worker.run and worker.run.message("hello from before")
                server.__exit__()
    end = await ended(worker)
    assert (end.reason, worker.exit_code) == ("model_unavailable", 5)
    return port


@KINDS
@pytest.mark.parametrize("where", ["here", "elsewhere"])
async def test_it_continues_from_the_last_step(
    kind: str, where: str, tmp_path: Path, workers: RunRegistry
) -> None:
    require(kind)
    port = await run_until_the_server_is_away(kind, tmp_path, workers)
    (found,) = workers.store.runs()
    assert found.is_resumable
    look = s.call("execute_bash", command="cat kept; echo $X > output/answer.txt")
    with s.ScriptedServer([look, s.call("submit")], port=port) as server:
        resumes = workers
        if where == "elsewhere":
            await workers.stop("The program ends.")
            resumes = RunRegistry(workers.store)
        end = await ended(resumes.resume(found, settings(kind)))
        asked = server.requests[0]["messages"]
    assert (end.reason, end.answer) == ("submitted", "1\n")
    assert any("hello from before" in str(one["content"]) for one in asked)
    events = list(replay(workers.store, found.id))
    shown = b"".join(one.data for one in events if isinstance(one, e.TerminalOutput))
    assert b"the model was unavailable here" in shown
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    finishes = [one.reason for one in events if isinstance(one, e.RunFinished)]
    assert finishes == ["model_unavailable", "submitted"]
    assert "kept" in next(
        one.observation for one in events if isinstance(one, e.CallFinished) and one.call == 2
    )
    requests = [number for number, one in enumerate(events) if isinstance(one, e.ModelAsked)]
    for number in requests:
        one = events[number]
        assert isinstance(one, e.ModelAsked)
        assert one.digest == messages_digest(conversation(events[: number + 1]))
    (after,) = workers.store.runs()
    assert (after.outcome, after.error, after.steps) == ("submitted", None, 3)


async def test_a_server_that_refuses_ends_the_run_for_good(
    tmp_path: Path, workers: RunRegistry
) -> None:
    require("bubblewrap")
    with s.ScriptedServer([s.failure(401, "no such key")]) as server:
        given = {"model.name": "m", "model.base_url": server.url}
        worker = workers.begin(RunRequest(task="t", settings=settings("bubblewrap", **given)))
        assert (await ended(worker)).reason == "model_error"
    (found,) = workers.store.runs()
    assert not found.is_resumable
