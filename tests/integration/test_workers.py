"""Runs in the background: every watcher sees all events, whenever it starts watching."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import ImageMissing
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, RunWorker, Store, replay
from sandbox_tui.tui.screens.home.demo_request import demo_request
from tests.integration.conftest import require
from tests.waiting import HANG_SECONDS


@pytest.fixture
def workers(tmp_path: Path) -> RunRegistry:
    require("bubblewrap")
    return RunRegistry(Store(tmp_path / "s.db"))


def demo(tmp_path: Path, *, mode: str = "auto") -> RunRequest:
    settings = load({"sandbox.kind": "bubblewrap", "agent.output": str(tmp_path / "out")})
    return demo_request(settings, speed=0, mode=mode)  # type: ignore[arg-type]


async def seen_by(worker: RunWorker) -> list[e.AnyEvent]:
    return [event async for event in worker.watch()]


async def test_a_late_watcher_and_one_that_leaves(workers: RunRegistry, tmp_path: Path) -> None:
    worker = workers.begin(demo(tmp_path))
    whole = asyncio.create_task(seen_by(worker))
    finished = 0
    async for event in worker.watch():
        finished += isinstance(event, e.CallFinished)
        if finished == 3:
            break
    late = await seen_by(worker)
    assert late == await whole == list(replay(workers.store, worker.run_id))
    assert isinstance(late[-1], e.RunFinished)
    assert worker.ended.is_set()
    assert worker.exit_code == 0
    assert workers.unfinished == []
    assert await seen_by(worker) == late, "also when all is over"


async def test_a_run_needs_no_watcher(workers: RunRegistry, tmp_path: Path) -> None:
    worker = workers.begin(demo(tmp_path))
    received: list[e.AnyEvent] = []
    worker.observers.append(received.append)
    await asyncio.wait_for(worker.ended.wait(), HANG_SECONDS)
    assert received == list(replay(workers.store, worker.run_id))
    assert worker.state.finished == received[-1]


async def test_a_watcher_that_does_not_read_blocks_the_run_until_it_leaves(
    workers: RunRegistry, tmp_path: Path
) -> None:
    """Backpressure reaches the container and ends with the watcher."""
    request = demo(tmp_path, mode="step")
    worker = workers.begin(request)
    slow: AsyncIterator[e.AnyEvent] = worker.watch()
    await anext(slow)
    while worker.state.pending is None:
        await asyncio.sleep(0.01)
    assert worker.run is not None
    worker.run.inject("head -c 50000000 /dev/zero | tr '\\0' 'x'", tell=False)
    full = 0
    while full < 40:  # recording stalls while the watcher's buffer is full
        before = worker.state.seq
        await asyncio.sleep(0.02)
        full = full + 1 if worker.state.seq == before and before > 250 else 0
    assert not any(item.finished for item in worker.state.humans.values())
    await slow.aclose()  # type: ignore[attr-defined]
    while not any(item.finished for item in worker.state.humans.values()):
        await asyncio.sleep(0.01)
    await worker.stop("enough")
    assert worker.state.finished is not None
    assert worker.state.finished.reason == "cancelled"


async def test_all_are_stopped_together(workers: RunRegistry, tmp_path: Path) -> None:
    started = [workers.begin(demo(tmp_path, mode="step")) for _ in range(3)]
    while not all(worker.state.pending for worker in started[:2]):
        await asyncio.sleep(0.01)
    await workers.stop("The program was ended.")
    assert workers.unfinished == []
    for worker in started:  # the last may not even have started
        finished = worker.state.finished
        assert finished is None or finished.reason == "cancelled"
    assert started[0].exit_code == 130


async def test_a_run_that_is_stopped_at_once_still_ends(
    workers: RunRegistry, tmp_path: Path
) -> None:
    """Its task is cancelled before its first step, and so runs none of its code."""
    worker = workers.begin(demo(tmp_path))
    await asyncio.wait_for(worker.stop("It is not wanted."), HANG_SECONDS)
    assert str(worker.failure) == "The run was ended before it started."
    assert await seen_by(worker) == []


async def test_a_run_whose_program_crashes_is_not_said_never_to_have_started(
    workers: RunRegistry, tmp_path: Path
) -> None:
    """The loop cancels all tasks when an app that runs on it crashes."""
    worker = workers.begin(demo(tmp_path, mode="step"))
    while worker.state.pending is None:
        await asyncio.sleep(0.01)
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
    await asyncio.wait_for(worker.ended.wait(), HANG_SECONDS)
    assert worker.failure is None
    assert worker.exit_code == 1


async def test_a_run_that_cannot_start_reports_the_reason(tmp_path: Path) -> None:
    require("docker")
    settings = load({"sandbox.kind": "docker", "sandbox.image": "127.0.0.1:9/no/such:1"})
    workers = RunRegistry(Store(tmp_path / "s.db"))
    worker = workers.begin(demo_request(settings, speed=0))
    assert await seen_by(worker) == []
    assert isinstance(worker.failure, ImageMissing)
    assert worker.exit_code == 3
    assert workers.store.runs() == []
