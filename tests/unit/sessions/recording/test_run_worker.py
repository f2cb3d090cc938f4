"""A worker whose run cannot start or cannot be cleaned up still ends and reports why."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import AsyncIterator

import msgspec
import pytest

from sandbox_tui.core.base.errors import SandboxUnavailable, StoreError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.durability import Durability
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunWorker, Store
from sandbox_tui.sessions.recording import resume_worker
from sandbox_tui.sessions.recording.resume_worker import ResumedWorker, set_owner
from sandbox_tui.sessions.recording.run_worker import EndedEarly, EventSource
from tests.unit.event_streams import started

GONE = ProcessIdentity(999_999_999, "1", ProcessIdentity.this_process().host)
"""A process that no longer exists."""


class Unable(RunWorker):
    """A worker that can neither open its run nor clean up afterwards."""

    clean = False

    async def _open(self) -> Run:
        raise SandboxUnavailable("There is no sandbox here.")

    async def _cleanup(self) -> None:
        if not self.clean:
            raise StoreError("Another program does not let go of the database.")


def request() -> RunRequest:
    return RunRequest(task="x", settings=load({}))


async def test_a_clean_up_that_fails_ends_the_worker_and_keeps_the_first_reason(
    store: Store,
) -> None:
    worker = Unable(request(), store)
    worker.start()
    async with asyncio.timeout(20):
        assert [event async for event in worker.watch()] == []
        await worker.stop("It is enough.")
    assert isinstance(worker.failure, SandboxUnavailable)


async def test_a_watcher_that_leaves_at_the_end_takes_nobodys_end_away(store: Store) -> None:
    worker = Unable(request(), store)
    worker.clean = True
    watching = [asyncio.create_task(_all(worker)) for _ in range(3)]
    while worker._feed.watchers < 3:
        await asyncio.sleep(0)
    watching[0].cancel()
    worker.start()
    async with asyncio.timeout(20):
        await asyncio.gather(*watching[1:])
        with contextlib.suppress(asyncio.CancelledError):
            await watching[0]
    assert worker._feed.watchers == 0


async def _all(worker: RunWorker) -> list[e.AnyEvent]:
    return [event async for event in worker.watch()]


class Watched(RunWorker):
    """A worker that records whether its event iterator was closed."""

    closed = False

    async def _begin(self) -> EventSource:
        return EventSource(self._events(), Durability())

    async def _events(self) -> AsyncIterator[e.AnyEvent]:
        try:
            yield msgspec.structs.replace(started(self.run_id), seq=1)
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.closed = True


async def test_a_run_is_over_when_its_worker_has_ended_whatever_ended_it(store: Store) -> None:
    """An observer that raises ends the worker, which still has to close the sandbox."""
    worker = Watched(request(), store)

    def broken(event: e.AnyEvent) -> None:
        raise ZeroDivisionError

    worker.observers.append(broken)
    worker.start()
    async with asyncio.timeout(20):
        await worker.ended.wait()
    assert worker.closed
    assert "This is a bug in sandbox-tui" in str(worker.failure)


def interrupted(store: Store) -> str:
    """Store a session whose program has ended."""
    first = msgspec.structs.replace(started(), run_id="gone", seq=1)
    settings = e.RunSettings(mode="auto", sandbox={})
    store.append("gone", [msgspec.structs.replace(first, settings=settings)])
    set_owner(store, "gone", GONE)
    return "gone"


@pytest.mark.parametrize("times", [1, 2])
async def test_a_claim_is_given_back_when_the_worker_is_stopped_while_it_is_made(
    store: Store, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Also when the user stops it twice."""
    session = interrupted(store)
    has_begun, go_on, claim = threading.Event(), threading.Event(), resume_worker.claim

    def slow_claim(store: Store, run_id: str) -> ProcessIdentity:
        has_begun.set()
        go_on.wait()
        return claim(store, run_id)

    monkeypatch.setattr(resume_worker, "claim", slow_claim)
    worker = ResumedWorker(store.run(session), load({}), store)
    worker.start()
    await asyncio.to_thread(has_begun.wait)
    stopping: list[asyncio.Task[None]] = []
    for _ in range(times):
        stopping.append(asyncio.create_task(worker.stop("A person left.")))
        for _ in range(10):  # until the stop has reached the worker, which waits for the claim
            await asyncio.sleep(0)
    ended_early = worker.ended.is_set()
    go_on.set()
    async with asyncio.timeout(20):
        await asyncio.gather(*stopping)
    assert not ended_early
    assert isinstance(worker.failure, EndedEarly)
    assert worker.exit_code == 130
    assert owner_of(store, session) == GONE
    assert store.run(session).outcome == "interrupted"


def owner_of(store: Store, session: str) -> ProcessIdentity:
    with contextlib.closing(sqlite3.connect(store.path)) as connection:
        row = connection.execute(
            "SELECT owner_pid, owner_started, owner_host FROM runs WHERE id = ?", [session]
        ).fetchone()
    return ProcessIdentity(*row)
