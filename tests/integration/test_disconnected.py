"""Runs whose terminal is closed, as a lost SSH connection does, and that are resumed afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, Store, replay
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_model_unavailable import ended
from tests.integration.test_runs import KINDS, settings

FIRST = s.call("execute_bash", command="cd /tmp; X=kept; echo one > /testbed/output/one")


@pytest.fixture
async def workers(tmp_path: Path) -> AsyncIterator[RunRegistry]:
    workers = RunRegistry(Store(tmp_path / "s.db"))
    yield workers
    await workers.stop("The test is over.")
    workers.store.close()


@KINDS
@pytest.mark.parametrize("at", ["a running call", "a waiting call", "a reply"])
async def test_it_is_resumed_where_it_was_and_its_results_are_kept(
    kind: str, at: str, tmp_path: Path, workers: RunRegistry
) -> None:
    require(kind)
    slow = s.call("execute_bash", command="echo begun; sleep 600")
    rest = [s.call("execute_bash", command="echo $X in $PWD"), s.call("submit")]
    second = s.stream(s.chunk({"content": "I think"}), 3600.0) if at == "a reply" else slow
    with s.ScriptedServer([FIRST, second, *rest]) as server:
        given = {"model.name": "m", "model.base_url": server.url}
        request = RunRequest(task="t", settings=settings(kind, **given), output=tmp_path / "out")
        worker = workers.begin(request)
        async for event in worker.watch():
            match event:
                case e.CallFinished(call=1) if at == "a waiting call":
                    assert worker.run is not None
                    worker.run.set_mode("step")
                case e.ModelDelta(step=2) if at == "a reply":
                    break
                case e.CallHeld(call=2):
                    break
                case e.TerminalOutput(data=data) if b"begun\r\n" in data:
                    break
                case _:
                    pass
        await workers.disconnect()
        assert worker.exit_code == 129
        assert (tmp_path / "out" / "one").read_text() == "one\n"
        (found,) = workers.store.runs()
        assert (found.outcome, found.error) == ("disconnected", "Its terminal was closed.")
        assert found.is_resumable
        others = RunRegistry(workers.store)
        resumed = others.resume(found, settings(kind))
        if at == "a waiting call":
            async for event in resumed.watch():
                if isinstance(event, e.CallHeld) and resumed.state.pending is not None:
                    assert resumed.run is not None
                    resumed.run.set_mode("auto")
                    resumed.run.reject(event.call, "no")
                    break
        end = await ended(resumed)
    assert end.reason == "submitted"
    events = list(replay(workers.store, found.id))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    observations = [one.observation for one in events if isinstance(one, e.CallFinished)]
    assert any("kept in /tmp" in one for one in observations)
    shown = b"".join(one.data for one in events if isinstance(one, e.TerminalOutput))
    assert b"the terminal was closed here" in shown


@KINDS
@pytest.mark.parametrize("at", ["the start", "the first request"])
async def test_a_run_without_a_step_begins_again(
    kind: str, at: str, tmp_path: Path, workers: RunRegistry
) -> None:
    require(kind)
    replies = [s.stream(3600.0)] if at == "the first request" else []
    rest = [s.call("execute_bash", command="cat /testbed/documents/a.txt"), s.call("submit")]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("given\n")
    with s.ScriptedServer([*replies, *rest]) as server:
        given = {"model.name": "m", "model.base_url": server.url}
        request = RunRequest(task="t", settings=settings(kind, **given), input=tmp_path / "in")
        worker = workers.begin(request)
        if at == "the start":
            while worker.run is None:
                await asyncio.sleep(0)
        else:
            while not server.requests:
                await asyncio.sleep(0.01)
        await workers.disconnect()
        (found,) = workers.store.runs()
        assert (found.outcome, found.steps) == ("disconnected", 0)
        end = await ended(RunRegistry(workers.store).resume(found, settings(kind)))
        assert end.reason == "submitted"
        assert end.totals.calls == 2
