"""A run that could not be recorded to its end, in a program that keeps running."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, RunWorker, Store
from sandbox_tui.sessions.recording.resume_worker import claim, problem_with
from sandbox_tui.sessions.store.tables import runs
from sandbox_tui.tui.terminal_io.notifications import Notices
from tests.unit.event_streams import started


class Unrecorded(RunWorker):
    """A worker whose database fails after the first event."""

    stored = True

    async def _open(self) -> Run:
        if self.stored:
            self._store.append(self.run_id, [started(self.run_id)])
            await self._show(started(self.run_id))
        raise StoreError("The disk is full.")


async def ended(store: Store, *, stored: bool = True) -> tuple[RunRegistry, RunWorker]:
    workers = RunRegistry(store)
    worker = Unrecorded(RunRequest(task="x", settings=load({})), store, "r")
    worker.stored = stored
    workers._started(worker)
    await worker.ended.wait()
    await asyncio.gather(*workers._watching)
    return workers, worker


async def test_the_session_is_interrupted_for_all_programs(store: Store) -> None:
    await ended(store)
    for _ in range(2):
        assert [run.outcome for run in store.runs()] == ["interrupted"]
        assert problem_with(store.run("r")) == ""
    with contextlib.closing(Store(store.path)) as other:
        assert other.run("r").outcome == "interrupted"


async def test_the_session_is_interrupted_even_if_the_database_is_full(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(connection: object, run_id: str, owner: ProcessIdentity) -> None:
        raise StoreError("The disk is full.")

    with monkeypatch.context() as then:
        then.setattr(runs, "set_owner", full)
        await ended(store)
    assert store.run("r").outcome == "interrupted"
    with contextlib.closing(Store(store.path)) as other:
        assert other.run("r").outcome == "running"
    claim(store, "r")  # this same program resumes it
    assert store.run("r").outcome == "running"


async def test_the_message_about_it(store: Store) -> None:
    for stored, words in ((True, "is no longer recorded"), (False, "could not start")):
        workers, _ = await ended(store, stored=stored)
        (notice,) = Notices().take_new(workers.all.values())
        assert notice.title == f"sandbox-tui: {words}"
        store.delete("r")


async def test_a_finished_run_is_left_unchanged(store: Store) -> None:
    class Ended(Unrecorded):
        async def _open(self) -> Run:
            end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
            self._store.append(self.run_id, [started(self.run_id), end])
            await self._show(started(self.run_id))
            await self._show(end)
            raise StoreError("Only the clean-up failed.")

    workers = RunRegistry(store)
    worker = workers._started(Ended(RunRequest(task="x", settings=load({})), store, "r"))
    await worker.ended.wait()
    await asyncio.gather(*workers._watching)
    assert store.run("r").outcome == "submitted"
