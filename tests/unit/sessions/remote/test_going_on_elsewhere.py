"""Runs of a wall that ended so that they can be resumed, and go on in another program."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import cast

import msgspec
import pytest
from textual.app import App
from textual.screen import Screen

from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, RunWorker, Store
from sandbox_tui.sessions.remote import recorded_run
from sandbox_tui.sessions.remote.followed_run import going_on_elsewhere
from sandbox_tui.sessions.remote.recorded_run import RecordedRun
from sandbox_tui.tui.screens.wall import run_group
from sandbox_tui.tui.screens.wall.run_group import RunGroup
from sandbox_tui.tui.screens.wall.started_together import StartedTogether
from sandbox_tui.tui.screens.wall.wall_runs import WallRuns
from tests.unit.event_streams import started
from tests.waiting import until

UNAVAILABLE = e.RunFinished(
    seq=2, t=80.0, reason="model_unavailable", error="No answer.", totals=e.Totals()
)


def given_up(store: Store, run_id: str = "r") -> None:
    """Store a run that ended because its model's server did not answer."""
    store.append(run_id, [started(run_id, task=run_id, started_at=time.time()), UNAVAILABLE])


def resumed(store: Store, run_id: str = "r", seq: int = 3) -> None:
    """Resume it, as another program does."""
    again = e.RunResumed(seq=seq, t=80.0, resumed_at=time.time(), away=9.0, sandbox_info={})
    store.set_owner(run_id, ProcessIdentity.this_process())
    store.append(run_id, [again])


def ended_here(store: Store, run_id: str = "r") -> RunWorker:
    """Return the worker of the run as the program knows it that ran it."""
    worker = RunWorker(RunRequest(task=run_id, settings=load({"model.name": "m"})), store, run_id)
    for event in store.events(run_id):
        worker.state.apply(event)
    worker.ended.set()
    return worker


async def read(run: RecordedRun) -> RecordedRun:
    async for _ in run.watch():
        pass
    return run


async def test_a_run_that_had_ended_is_followed_once_another_program_resumes_it(
    store: Store,
) -> None:
    given_up(store)
    run = await read(RecordedRun(store.run("r"), store))
    assert going_on_elsewhere([run, ended_here(store)], store) == []
    resumed(store)
    ((before, now),) = going_on_elsewhere([run], store)
    assert before is run
    assert isinstance(now, RecordedRun)
    assert now.is_growing


async def test_one_that_has_ended_for_good_is_not_looked_at(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
    store.append("r", [started("r"), end])
    run = await read(RecordedRun(store.run("r"), store))
    monkeypatch.setattr(store, "rows", None)
    assert going_on_elsewhere([run], store) == []


@pytest.mark.parametrize("is_here", [False, True])
async def test_the_wall_shows_it_also_in_the_place_of_a_run_of_this_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_here: bool
) -> None:
    monkeypatch.setattr(run_group, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(recorded_run, "POLL_SECONDS", 0.01)
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        given_up(store)
        workers = RunRegistry(store)
        if is_here:
            workers.all["r"] = ended_here(store)
        group = RunGroup([store.run("r")], workers)
        app = App[None]()
        async with app.run_test() as pilot:
            group.follow(cast(Screen[None], app.screen))
            await until(pilot, lambda: group.all["r"].state.finished)
            resumed(store)
            await until(pilot, lambda: group.all["r"].state.seq == 3)
            run = group.all["r"]
            assert isinstance(run, RecordedRun)
            assert run.goes_on
            store.append("r", [msgspec.structs.replace(UNAVAILABLE, seq=4, t=90.0)])
            await until(pilot, lambda: group.all["r"].state.seq == 4)
            resumed(store, seq=5)
            await until(pilot, lambda: group.all["r"].state.seq == 5)
            again = workers.all["r"] = ended_here(store)  # resumed here now
            assert group.all["r"] is again


@pytest.mark.parametrize("together", [False, True])
async def test_the_wall_of_the_program_that_ran_it_follows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    monkeypatch.setattr(run_group, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(recorded_run, "POLL_SECONDS", 0.01)
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        given_up(store)
        workers = RunRegistry(store)
        worker = workers.all["r"] = ended_here(store)
        shown = WallRuns(workers, StartedTogether([worker], workers) if together else None)
        app = App[None]()
        async with app.run_test() as pilot:
            shown.follow(cast(Screen[None], app.screen))
            assert shown.shown["r"] is worker
            resumed(store)
            await until(pilot, lambda: shown.shown["r"].state.seq == 3)
            again = workers.all["r"] = ended_here(store)
            assert shown.shown["r"] is again
