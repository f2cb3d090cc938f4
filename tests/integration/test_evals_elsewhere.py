"""Evaluations in programs of their own: their samples are watched, and they are paused, from the
screens of others."""

from __future__ import annotations

import asyncio
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.base.errors import NotStored
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals import detached
from sandbox_tui.sessions.evals.evaluation import begin_evaluation
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.lifecycle.first_screen import WatchEval
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from tests import scripted_server as s
from tests.integration.test_eval_screen import count, on_top, shown, words
from tests.integration.test_runs import PROGRAM
from tests.waiting import HANG_SECONDS, until

Start = Callable[..., s.ScriptedServer]


class HeldModel:
    """Answers 6 once `go` is set."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def __call__(self, request: dict[str, Any]) -> s.Scripted:
        assert self.go.wait(HANG_SECONDS)
        return s.say("It is 6.")


@pytest.fixture
def model() -> Iterator[HeldModel]:
    held = HeldModel()
    yield held
    held.go.set()


def config(server: s.ScriptedServer) -> Any:
    return load({"model.name": "scripted", "model.base_url": server.url})


def suite(count: int = 3) -> Suite:
    tasks = tuple(Task(id=f"t{n}", problem="What is 2 * 3?", target="6") for n in range(count))
    return Suite(name="products", tasks=tasks, modes=("vanilla",), scorers={"": "number"})


@asynccontextmanager
async def elsewhere(store: Store, settings: Any) -> AsyncIterator[ledger.EvalSummary]:
    """An evaluation of three samples, two at once, in a program of its own; stopped at the end."""
    evaluation = begin_evaluation(store, suite(), settings, concurrency=2)
    eval_id = evaluation.info.id
    await asyncio.to_thread(detached.hand_over, store, evaluation, settings.model.base_url)
    found = ledger.summary(store, eval_id)
    try:
        yield found
    finally:
        detached.stop(found)
        async with asyncio.timeout(HANG_SECONDS):
            while ledger.summary(store, eval_id).running:
                await asyncio.sleep(0.01)


async def test_a_sample_of_a_program_of_its_own_opens_live(
    model: HeldModel, scripted_server: Start, store: Store
) -> None:
    """It is watched to its end on the live screen, as a detached run is from home."""
    settings = config(scripted_server(model))
    async with elsewhere(store, settings) as found:
        async with shown(store, WatchEval(found), settings) as (app, pilot):
            await until(pilot, on_top(app, EvalScreen))
            await until(pilot, lambda: count(app, "running") == 2 and _all_answer(store, found))
            overview: Any = app.screen
            assert overview.why_unavailable("pause", ()) == (
                "another program runs it; x stops it, then r resumes it"
            )
            await pilot.press("enter")
            await until(pilot, on_top(app, LiveScreen))
            screen: Any = app.screen
            await until(pilot, lambda: screen.worker.steers and screen.state.started)
            assert screen.worker.failure is None
            model.go.set()
            await until(pilot, lambda: screen.state.finished)
            assert screen.state.finished.reason == "submitted"
            await pilot.press("q")
            await until(pilot, lambda: "3 of 3" in words(app) and "✓ finished" in words(app))
    left = [one.run_id for one in ledger.results(store, found.info.id) if is_detached(one.run_id)]
    assert left == []


async def test_the_samples_of_a_program_of_its_own_are_watched_side_by_side(
    model: HeldModel, scripted_server: Start, store: Store
) -> None:
    """The wall attaches to each; a sample that ends makes room for the next one."""
    settings = config(scripted_server(model))
    async with elsewhere(store, settings) as found:
        async with shown(store, WatchEval(found), settings) as (app, pilot):
            await until(pilot, on_top(app, EvalScreen))
            await until(pilot, lambda: count(app, "running") == 2 and _all_answer(store, found))
            await pilot.press("w")
            await until(pilot, on_top(app, WallScreen))
            wall = app.screen
            await until(pilot, lambda: len(wall.query(RunTile)) == 2)
            tiles = list(wall.query(RunTile))
            await until(pilot, lambda: all(tile.state.started for tile in tiles))
            await until(pilot, lambda: all(tile.worker.run is not None for tile in tiles))
            first = {tile.worker.run_id for tile in tiles}
            model.go.set()
            await until(pilot, lambda: all(tile.state.finished for tile in tiles))
            await until(
                pilot,
                lambda: (
                    not any(
                        one.worker.run_id in first - _focused(app) for one in wall.query(RunTile)
                    )
                ),
            )
            await pilot.press("q")
            await until(pilot, lambda: "3 of 3" in words(app) and "✓ finished" in words(app))
            overview: Any = app.screen
            assert overview.why_unavailable("wall", ()) == "all samples have ended"


def _focused(app: Any) -> set[str]:
    tile = app.screen.focused
    return {tile.worker.run_id} if isinstance(tile, RunTile) else set()


def _all_answer(store: Store, found: ledger.EvalSummary) -> bool:
    running = [one for one in ledger.results(store, found.info.id) if one.status == "running"]
    return bool(running) and all(
        is_detached(one.run_id) and _is_stored(store, one.run_id) for one in running
    )


def _is_stored(store: Store, run_id: str) -> bool:
    """Whether a sample that was claimed has recorded its start by now."""
    try:
        store.run(run_id)
    except NotStored:
        return False
    return True


def test_a_sample_of_an_evaluation_without_a_screen_is_watched(
    model: HeldModel, scripted_server: Start, store: Store, tmp_path: Path
) -> None:
    """`attach` names it; without a name the newest run
    that was detached is meant, which no sample is."""
    server = scripted_server(model)
    (tmp_path / "tasks.jsonl").write_text('{"problem": "What is 2 * 3?", "target": "6"}\n')
    tasks = [str(tmp_path / "tasks.jsonl"), "--scorer", "number", "--mode", "vanilla"]
    address = ["--model", "m", "--base-url", server.url]
    program = subprocess.Popen(
        [PROGRAM, "eval", "run", *tasks, *address, "--headless"],
        stdout=subprocess.PIPE,
        text=True,
    )
    while not any(is_detached(run.id) for run in store.runs()):
        assert program.poll() is None, program.communicate()[0]
        time.sleep(0.05)
    [sample] = store.runs()
    none = subprocess.run([PROGRAM, "attach", "--headless"], capture_output=True, text=True)
    assert "There is no detached run" in none.stderr
    attached = subprocess.Popen(
        [PROGRAM, "attach", sample.id, "--json"], stdout=subprocess.PIPE, text=True
    )
    assert attached.stdout is not None
    assert "RunStarted" in attached.stdout.readline()
    model.go.set()
    seen = attached.communicate(timeout=HANG_SECONDS)[0]
    assert "RunFinished" in seen.splitlines()[-1]
    assert "1 of 1" in program.communicate(timeout=HANG_SECONDS)[0]
