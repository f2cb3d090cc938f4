"""A program that wants to resume a run which ended in another one that is still there."""

from __future__ import annotations

import asyncio
import contextlib
import time

import msgspec
import pytest

from sandbox_tui.core.base.errors import ResumeRefused, RunsElsewhere
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, RunWorker, Store
from sandbox_tui.sessions.recording import give_way, resume_worker
from sandbox_tui.sessions.recording.resume_worker import ResumedWorker
from tests.unit.event_streams import started

PARENT = ProcessIdentity.parent()
"""The identity of a live program that is another one."""


class Ended(RunWorker):
    """A run whose model's server did not answer; its program keeps the sandbox."""

    keeps = True

    async def _open(self) -> Run:
        end = e.RunFinished(seq=2, t=1.0, reason="model_unavailable", error="x", totals=e.Totals())
        settings = e.RunSettings(mode="auto", sandbox={})
        first = msgspec.structs.replace(started(self.run_id), settings=settings)
        self._store.append(self.run_id, [first, end])
        self._store.set_owner(self.run_id, PARENT)
        for event in (first, end):
            await self._show(event)
        raise ResumeRefused("This stands for the end of the recording.")

    async def release_sandbox(self) -> None:
        self.keeps = False


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(give_way, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(resume_worker, "CLAIM_SECONDS", 0.01)
    monkeypatch.setattr(resume_worker, "HEARD_SECONDS", 0.2)


async def ended(store: Store) -> tuple[RunRegistry, Ended]:
    workers = RunRegistry(store)
    worker = Ended(RunRequest(task="x", settings=load({})), store, "r")
    workers._started(worker)
    await worker.ended.wait()
    return workers, worker


async def test_it_gives_the_run_up(store: Store) -> None:
    _, worker = await ended(store)
    with contextlib.closing(Store(store.path)) as other:
        resumed = ResumedWorker(other.run("r"), load({}), other)
        async with asyncio.timeout(60):
            await resumed._claim_in_turn()
        assert not worker.keeps, "the sandbox first"
        owned = other.ownership("r")
        assert owned is not None
        assert owned.owner == ProcessIdentity.this_process()
    assert not give_way.wanted_path(store, "r").exists()


async def test_one_that_it_has_resumed_itself_is_not_given_up(store: Store) -> None:
    workers, worker = await ended(store)
    workers.all["r"] = RunWorker(worker.request, store, "r")
    with give_way.asking_for(store, "r"):
        await asyncio.gather(*workers._watching)
    assert worker.keeps
    owned = store.ownership("r")
    assert owned is not None
    assert owned.owner == PARENT


async def test_a_program_that_does_not_hear_is_named(store: Store) -> None:
    workers, _ = await ended(store)
    for watching in workers._watching:
        watching.cancel()
    resumed = ResumedWorker(store.run("r"), load({}), store)
    since = time.monotonic()
    resumed.start()
    async with asyncio.timeout(60):
        await resumed.ended.wait()
    assert time.monotonic() - since >= 0.2
    assert type(resumed.failure) is ResumeRefused
    assert f"(process {PARENT.pid} on {PARENT.host_name}) still keeps" in str(resumed.failure)
    assert not give_way.wanted_path(store, "r").exists()


async def test_a_run_that_goes_on_there_is_not_asked_for(store: Store) -> None:
    await ended(store)
    resumed = ResumedWorker(store.run("r"), load({}), store)
    again = e.RunResumed(seq=3, t=1.0, resumed_at=time.time(), away=9.0, sandbox_info={})
    store.append("r", [again])
    store.set_owner("r", PARENT)
    resumed.start()
    async with asyncio.timeout(60):
        await resumed.ended.wait()
    assert type(resumed.failure) is RunsElsewhere


@pytest.mark.parametrize("was_here", [False, True])
async def test_a_refused_resumption_leaves_the_runs_as_they_were(
    store: Store, was_here: bool
) -> None:
    workers, before = await ended(store)
    if not was_here:
        workers.all.clear()
    for watching in workers._watching:
        watching.cancel()
    resumed = workers.resume(store.run("r"), load({}))
    await resumed.ended.wait()
    while workers.all.get("r") is resumed:
        await asyncio.sleep(0)
    assert workers.all == ({"r": before} if was_here else {})
    with give_way.asking_for(store, "r"):
        while before.keeps and was_here:
            await asyncio.sleep(0.01)
