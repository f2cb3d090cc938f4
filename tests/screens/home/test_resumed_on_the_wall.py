"""An interrupted run on the wall of `attach` that is resumed, in this program or another."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot

from sandbox_tui.core.base.errors import ResumeRefused, RunsElsewhere
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import Settings, load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, RunSummary, RunWorker, Store
from sandbox_tui.sessions.recording.resume_worker import ResumedWorker
from sandbox_tui.sessions.remote import followed_run, recorded_run
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.lifecycle.first_screen import Attach
from sandbox_tui.tui.screens.cockpit.live import interrupted
from sandbox_tui.tui.screens.cockpit.live.interrupted import InterruptedDialog
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.messages import ResumeRequested
from sandbox_tui.tui.screens.wall import run_group
from sandbox_tui.tui.screens.wall.dialogs.resume_runs import ResumeRunsDialog
from sandbox_tui.tui.screens.wall.steering.controlled_runs import why_not
from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from tests.unit.event_streams import started
from tests.waiting import until


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        for run_id in ("a", "b"):
            store.append(run_id, [started(started_at=time.time())])
            store.set_owner(run_id, ProcessIdentity.no_process())
        yield store


async def test_its_tile_and_its_screen_are_those_of_the_resumed_run(store: Store) -> None:
    settings = load({"model.name": "m", "model.local_ports": []})
    app = SandboxTui(settings, store, Attach([store.run("a"), store.run("b")]))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        wall = app.screen
        assert isinstance(wall, WallScreen)
        await until(pilot, lambda: [one.kind for one in wall.query(RunTile)] == ["failed"] * 2)
        second = next(one for one in wall.query(RunTile) if one.number == 2)
        second.focus()
        resumed = RunWorker(RunRequest(task="x", settings=settings), store, "b")
        app.runs.all["b"] = resumed
        await until(pilot, lambda: second.worker is resumed)
        assert wall.focused is second
        assert second.kind == "running"

        wall.post_message(ResumeRequested("b", lambda _: None, lambda _: None))
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        live = app.screen
        assert isinstance(live, LiveScreen)
        assert live.worker is resumed, "it is not watched as a run of another terminal"
        assert live.words_for("leave") == "back"
        assert not shown_toasts(app)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is wall)
        app.runs.all.clear()


def go_on(store: Store, run_id: str) -> None:
    """Resume a run, as another program does: it is none of this app's."""
    store.set_owner(run_id, ProcessIdentity.this_process())
    store.append(run_id, [e.Warned(seq=2, t=1.0, text="resumed")])


@asynccontextmanager
async def wall_of(store: Store) -> AsyncIterator[tuple[SandboxTui, Pilot[int], list[RunTile]]]:
    settings = load({"model.name": "m", "model.local_ports": []})
    app = SandboxTui(settings, store, Attach([store.run("a"), store.run("b")]))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: len(app.screen.query(RunTile)) == 2)
        tiles = list(app.screen.query(RunTile))
        await until(pilot, lambda: [one.kind for one in tiles] == ["failed"] * 2)
        yield app, pilot, tiles


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (recorded_run, run_group, interrupted):
        monkeypatch.setattr(module, "POLL_SECONDS", 0.01)


@pytest.mark.usefixtures("quick")
async def test_its_tile_watches_it_if_another_terminal_resumes_it(store: Store) -> None:
    async with wall_of(store) as (app, pilot, (tile, other)):
        go_on(store, "a")
        await until(pilot, lambda: "watching" in tile.names)
        await until(pilot, lambda: tile.state.seq == 2)
        assert tile.kind == "running"
        assert other.kind == "failed"
        assert why_not("steer", tile) == "another program runs it: decide and steer there"

        wall = app.screen
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        live = app.screen
        assert isinstance(live, LiveScreen)
        await until(pilot, lambda: live.state.seq == 2)
        assert live.worker.audience == "watching"
        store.append("a", [e.Warned(seq=3, t=2.0, text="more")])
        await until(pilot, lambda: live.state.seq == tile.state.seq == 3)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is wall)

        store.set_owner("a", ProcessIdentity.no_process())  # killed, too
        await until(pilot, lambda: tile.status_words == "◌ interrupted")
        words = "Run 1's program is gone: go to it, then r resumes it."
        await until(pilot, lambda: words in [one.message for one in shown_toasts(app)])
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, InterruptedDialog))
        assert not app.failures.keys() - {"b", "a"}


@pytest.mark.usefixtures("quick")
async def test_a_key_resumes_the_chosen_run_or_all_that_can_be(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    resumed: list[str] = []

    def resume(run: RunSummary, settings: Settings, runs: RunRegistry) -> RunWorker:
        resumed.append(run.id)
        worker = RunWorker(RunRequest(task="x", settings=settings), store, run.id)
        return runs.all.setdefault(run.id, worker)

    monkeypatch.setattr(interrupted, "resume_here", resume)
    async with wall_of(store) as (app, pilot, tiles):
        wall = app.screen
        assert isinstance(wall, WallScreen)
        await until(pilot, lambda: app.focused is tiles[0])
        assert wall.urgent_actions[0] == "resume"
        for keys, runs in (["r", "escape"], []), (["r", "r"], ["a"]):
            await pilot.press(keys[0])
            await until(pilot, lambda: isinstance(app.screen, ResumeRunsDialog))
            await pilot.press(keys[1])
            await until(pilot, lambda: app.screen is wall)
            await until(pilot, lambda runs=runs: resumed == runs)
        await until(pilot, lambda: [one.kind for one in tiles] == ["running", "failed"])
        assert app.focused is tiles[0]
        assert wall.why_unavailable("resume", ()) == "this run still runs; run 2 can be resumed"
        assert wall.why_unavailable("reject", ()) == "no call of this run is waiting"
        await pilot.press("right", "r")  # the only one: no question
        await until(pilot, lambda: resumed == ["a", "b"])
        await until(pilot, lambda: tiles[1].kind == "running")
        assert app.screen is wall
        app.runs.all.clear()


async def test_on_a_run_that_has_ended_for_good_the_key_is_about_the_others(store: Store) -> None:
    end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
    store.append("a", [end])
    store.append("c", [started(started_at=time.time())])
    store.set_owner("c", ProcessIdentity.no_process())
    runs = [store.run(run_id) for run_id in ("a", "b", "c")]
    app = SandboxTui(load({"model.name": "m", "model.local_ports": []}), store, Attach(runs))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        wall = app.screen
        assert isinstance(wall, WallScreen)
        tiles = wall.query(RunTile)
        await until(pilot, lambda: [one.kind for one in tiles][1:] == ["failed"] * 2)
        await until(pilot, lambda: app.focused is tiles[0] and tiles[0].kind != "running")
        await until(pilot, lambda: not wall.why_unavailable("resume", ()))
        assert wall.words_for("resume") == "resume 2 runs"
        assert "resume" not in wall.urgent_actions
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, ResumeRunsDialog))
        await pilot.press("escape")


@pytest.mark.usefixtures("quick")
async def test_a_key_resumes_all_runs_that_can_be(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resume(run: RunSummary, settings: Settings, runs: RunRegistry) -> RunWorker:
        raise ResumeRefused(f"{run.id} cannot be resumed.")

    monkeypatch.setattr(interrupted, "resume_here", resume)
    async with wall_of(store) as (app, pilot, _):
        wall = app.screen
        await until(pilot, lambda: isinstance(app.focused, RunTile))
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, ResumeRunsDialog))
        await pilot.press("a")
        refused = {"Run 1: a cannot be resumed.", "Run 2: b cannot be resumed."}
        await until(pilot, lambda: refused <= {one.message for one in shown_toasts(app)})
        assert app.screen is wall


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("why", "words"),
    [
        (ResumeRefused("Its program keeps it."), "Run 1: Its program keeps it."),
        (
            RunsElsewhere("A program runs it."),
            "Another terminal has resumed run 1; you can watch it here and steer it there.",
        ),
    ],
)
async def test_a_resumption_that_is_refused_later_leaves_the_tile_as_it_was(
    store: Store, monkeypatch: pytest.MonkeyPatch, why: ResumeRefused, words: str
) -> None:
    async def refuse(_: ResumedWorker) -> None:
        raise why

    end = e.RunFinished(seq=2, t=80.0, reason="model_unavailable", error="x", totals=e.Totals())
    for run_id in ("a", "b"):
        settings = e.RunSettings(mode="auto", sandbox={})
        store.delete(run_id)
        first = started(run_id, started_at=time.time())
        store.append(run_id, [msgspec.structs.replace(first, settings=settings), end])
    monkeypatch.setattr(ResumedWorker, "_open", refuse)
    async with wall_of(store) as (app, pilot, (tile, _)):
        await until(pilot, lambda: tile.state.finished)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, ResumeRunsDialog))
        await pilot.press("r")
        await until(pilot, lambda: words in [one.message for one in shown_toasts(app)])
        await until(pilot, lambda: tile.state.finished)
        assert tile.status_words == "✗ model unavailable"
        assert not app.screen.why_unavailable("resume", ())  # type: ignore[attr-defined]
        await until(pilot, lambda: not app.failures)


@pytest.mark.usefixtures("quick")
async def test_its_tile_shows_how_it_ended_in_another_terminal(store: Store) -> None:
    async with wall_of(store) as (_, pilot, (tile, other)):
        end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
        store.append("a", [end])
        await until(pilot, lambda: tile.kind == "submitted")
        assert other.kind == "failed"


@pytest.mark.usefixtures("quick")
async def test_its_tile_attaches_once_its_program_answers(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = set[str]()
    monkeypatch.setattr(followed_run, "is_served", lambda run_id: run_id in served)
    async with wall_of(store) as (_, pilot, (tile, _)):
        go_on(store, "a")
        await until(pilot, lambda: "watching" in tile.names)
        served.add("a")
        await until(pilot, lambda: isinstance(tile.worker, RunClient))
