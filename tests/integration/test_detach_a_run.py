"""Moving runs of this program into separate processes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

import pytest

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import data_dir
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import NoteItem, fold
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, RunWorker, Store, replay
from sandbox_tui.sessions.remote import detach as moving
from sandbox_tui.sessions.remote import detached
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.detach import can_be_detached, detach
from sandbox_tui.sessions.remote.detached import Job
from sandbox_tui.sessions.remote.sockets import is_detached
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import KINDS, Start, settings
from tests.waiting import HANG_SECONDS

CALLS = s.calls(
    ("execute_bash", '{"command": "echo one; echo text > /testbed/notes; export KEPT=yes"}'),
    ("execute_bash", '{"command": "cat /testbed/notes; echo kept=$KEPT"}'),
)


@pytest.fixture
async def runs() -> AsyncIterator[RunRegistry]:
    """The registry of this program's runs; ends all that still run, in any process."""
    store = Store(data_dir() / "sessions.db")
    registry = RunRegistry(store)
    yield registry
    await registry.stop("The test is over.")
    for run in store.runs():
        if run.outcome == "running" and is_detached(run.id):
            client = RunClient(run, store)
            await client.stop("The test is over.")
            client.leave()
    store.close()


def begin(runs: RunRegistry, server: s.ScriptedServer, kind: str, mode: e.Mode) -> RunWorker:
    asked = {"model.name": "scripted", "model.base_url": server.url}
    request = RunRequest(task="what is 6*7?", settings=settings(kind, **asked), mode=mode)
    return runs.begin(request)


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(HANG_SECONDS):
        while not true():
            await asyncio.sleep(0.01)


async def ended(client: RunClient) -> list[e.AnyEvent]:
    """All events of a run in another process, to its end; approves each call that waits."""
    seen: list[e.AnyEvent] = []
    async for event in client.watch():
        seen.append(event)
        if isinstance(event, e.CallHeld):
            await until(lambda: client.run is not None)
            assert client.run is not None
            client.run.approve(event.call)
    return seen


@KINDS
async def test_a_separate_program_continues_a_run(
    kind: str, scripted_server: Start, runs: RunRegistry
) -> None:
    require(kind)
    server = scripted_server(CALLS, s.call("submit"))
    worker = begin(runs, server, kind, "step")
    await until(lambda: worker.state.pending is not None)
    assert worker.run is not None
    worker.run.approve(1)
    await until(lambda: (waits := worker.state.pending) is not None and waits.call.number == 2)
    assert await detach(worker, runs)
    assert worker.left
    assert worker.exit_code == 0
    assert worker.run_id not in runs.all
    assert runs.detached == [worker.run_id], "the program names it when it ends"
    run = runs.store.run(worker.run_id)
    assert run.outcome == "running"
    assert is_detached(run.id)

    events = await ended(RunClient(run, runs.store))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert sum(isinstance(event, e.RunFinished) for event in events) == 1
    last = events[-1]
    assert isinstance(last, e.RunFinished)
    assert last.reason == "submitted"
    resumed = [event for event in events if isinstance(event, e.RunResumed)]
    assert [event.lost for event in resumed] == [()], "nothing was under way"
    notes = [item.text for item in fold(events).items if isinstance(item, NoteItem)]
    assert any(note.startswith("moved to a program of its own.") for note in notes)
    shown = b"".join(event.data for event in events if isinstance(event, e.TerminalOutput))
    assert b"moved to a program of its own" in shown
    assert b"the program ended" not in shown
    done = [event for event in events if isinstance(event, e.CallFinished)]
    assert "text" in done[1].observation
    assert "kept=yes" in done[1].observation


async def test_the_clock_runs_on_while_a_run_is_detached(
    scripted_server: Start, runs: RunRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("bubblewrap")
    server = scripted_server(CALLS, s.call("submit"))
    worker = begin(runs, server, "bubblewrap", "step")
    await until(lambda: worker.state.pending is not None)
    left_at: list[float] = []

    def begin_elsewhere(job: Job, handed: Callable[[ProcessIdentity], None]) -> str:
        assert worker.began is not None
        left_at.append(time.monotonic() - worker.began)
        return detached.begin(job, handed)

    monkeypatch.setattr(moving, "begin", begin_elsewhere)
    assert await detach(worker, runs)
    first, second = (RunClient(runs.store.run(worker.run_id), runs.store) for _ in range(2))
    await first.connect()  # before the other: it steers
    await second.connect()
    await until(lambda: first.run is not None and second.run is not None)
    assert first.began is not None
    assert first.began == second.began, "all screens show one clock"
    events = await ended(first)
    second.leave()
    resumed = next(event for event in events if isinstance(event, e.RunResumed))
    assert left_at[0] <= resumed.t, "the time of the move counts"
    assert resumed.away == 0
    run = runs.store.run(worker.run_id)
    assert run.ended_at == pytest.approx(run.started_at + run.seconds)


async def test_a_call_that_runs_ends_first(scripted_server: Start, runs: RunRegistry) -> None:
    require("bubblewrap")
    slow = "touch /testbed/on; while [ ! -e /testbed/go ]; do sleep 0.05; done; echo done"
    server = scripted_server(s.call("execute_bash", command=slow), s.call("submit"))
    worker = begin(runs, server, "bubblewrap", "auto")
    await until(lambda: worker.state.running is not None)
    moving_now = asyncio.create_task(detach(worker, runs))
    assert worker.run is not None
    sandbox = worker.run.environment.sandbox
    async with asyncio.timeout(HANG_SECONDS):
        while await sandbox.stat("/testbed/on") is None:
            await asyncio.sleep(0.01)
    assert not moving_now.done()
    await sandbox.write_file("/testbed/go", b"")
    assert await moving_now
    finished = [x for x in replay(runs.store, worker.run_id) if isinstance(x, e.CallFinished)]
    assert finished[0].observation.rstrip().endswith("done")


async def test_a_cancelled_detach_keeps_the_run_here(
    scripted_server: Start, runs: RunRegistry
) -> None:
    require("bubblewrap")
    slow = "while [ ! -e /testbed/go ]; do sleep 0.05; done"
    server = scripted_server(s.call("execute_bash", command=slow), s.call("submit"))
    worker = begin(runs, server, "bubblewrap", "auto")
    await until(lambda: worker.state.running is not None)
    moving_now = asyncio.create_task(detach(worker, runs))
    await asyncio.sleep(0)
    moving_now.cancel()
    await asyncio.wait([moving_now])
    assert worker.run is not None
    await worker.run.environment.sandbox.write_file("/testbed/go", b"")
    await worker.ended.wait()
    assert worker.state.finished is not None
    assert worker.state.finished.reason == "submitted"


async def test_a_run_is_never_interrupted_while_it_moves(
    scripted_server: Start, runs: RunRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("bubblewrap")
    server = scripted_server(CALLS, s.call("submit"))
    worker = begin(runs, server, "bubblewrap", "step")
    await until(lambda: worker.state.pending is not None)
    seen: set[str] = set()

    def begin_and_watch(job: Job, started: Callable[[ProcessIdentity], None]) -> str:
        def and_look(program: ProcessIdentity) -> None:
            seen.add(runs.store.run(worker.run_id).outcome)
            started(program)
            seen.add(runs.store.run(worker.run_id).outcome)

        return detached.begin(job, and_look)

    monkeypatch.setattr(moving, "begin", begin_and_watch)
    assert await detach(worker, runs)
    seen.add(runs.store.run(worker.run_id).outcome)
    assert seen == {"running"}


async def test_a_failed_detach_keeps_the_run_here(
    scripted_server: Start, runs: RunRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("bubblewrap")
    server = scripted_server(CALLS, s.call("submit"))
    worker = begin(runs, server, "bubblewrap", "step")
    await until(lambda: worker.state.pending is not None)

    def refuse(job: object, started: object) -> str:
        raise SandboxTuiError("There is no memory left.")

    monkeypatch.setattr(moving, "begin", refuse)
    with pytest.raises(SandboxTuiError, match="continues in this program"):
        await detach(worker, runs)
    again = runs.all[worker.run_id]
    assert again is not worker
    await until(lambda: again.state.pending is not None)
    assert can_be_detached(runs) == [again]
