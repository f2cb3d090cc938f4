"""What `w` on the home screen shows side by side."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from textual.pilot import Pilot

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunWorker, Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.lifecycle.first_screen import Attach
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from tests.screens.home.test_find_sessions import at_home
from tests.screens.palette.test_evaluations import first_of
from tests.unit.event_streams import started
from tests.waiting import until

HELD = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments='{"command": "ls"}')


def keep_ended(store: Store) -> None:
    """Keep a session that has ended."""
    end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
    store.append("ended", [started("ended", task="ended", started_at=1e9), end])


def keep_waiting(store: Store) -> None:
    """Keep a session that waits."""
    held = [e.CallProposed(seq=2, t=0.1, call=HELD), e.CallHeld(seq=3, t=0.1, call=1)]
    store.append("waits", [started("waits", task="waits", started_at=1e9 + 2), *held])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database with a session that has ended, and two that run, one of which waits."""
    with contextlib.closing(Store(tmp_path / "s.db")) as made:
        keep_ended(made)
        made.append("runs", [started("runs", task="runs", started_at=1e9 + 1)])
        keep_waiting(made)
        yield made


def started_here(home: HomeScreen, store: Store) -> None:
    """Let this program have started the session that has ended."""
    workers = home._run_workers
    request = RunRequest(task="ended", settings=load({"model.name": "m"}))
    worker = workers.all["ended"] = RunWorker(request, store, "ended")
    worker.ended.set()


async def shown_by_w(pilot: Pilot[int]) -> list[str]:
    """Press the key and return the sessions on the wall."""
    await pilot.press("w")
    await until(pilot, lambda: isinstance(pilot.app.screen, WallScreen))
    wall = pilot.app.screen
    return [tile.worker.run_id for tile in wall.query(RunTile)]


async def test_on_a_running_session_it_shows_all_that_run(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        started_here(home, store)
        sessions = home.query_one(SessionList)
        assert sessions.current is not None
        assert sessions.current.id == "waits"
        assert await shown_by_w(pilot) == ["runs", "waits"]
        focused = pilot.app.focused
        assert isinstance(focused, RunTile)
        assert focused.worker.run_id == "waits", "the session under the cursor"


async def test_on_another_session_too(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        started_here(home, store)
        await pilot.press("end")
        assert await shown_by_w(pilot) == ["runs", "waits"], "no ended run hides those that wait"
        focused = pilot.app.focused
        assert isinstance(focused, RunTile)
        assert focused.worker.run_id == "runs", "the first"


async def test_runs_of_this_program_that_are_not_recorded_yet_are_among_those_that_run(
    store: Store,
) -> None:
    async with at_home(store) as (home, pilot):
        started_here(home, store)
        request = RunRequest(task="new", settings=load({"model.name": "m"}))
        home._run_workers.all["starts"] = RunWorker(request, store, "starts")
        assert await shown_by_w(pilot) == ["runs", "starts", "waits"]


async def test_if_nothing_runs_elsewhere_it_shows_the_runs_of_this_program(store: Store) -> None:
    for run_id in ("runs", "waits"):
        end = e.RunFinished(seq=9, t=1.0, reason="submitted", error=None, totals=e.Totals())
        store.append(run_id, [end])
    async with at_home(store) as (home, pilot):
        started_here(home, store)
        assert await shown_by_w(pilot) == ["ended"]


async def test_attaching_to_several_begins_at_the_first_although_others_waited_longer(
    store: Store,
) -> None:
    runs = [store.run("waits"), store.run("runs")]
    app = SandboxTui(load({"model.name": "m", "model.local_ports": []}), store, Attach(runs))
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.focused, RunTile))
        assert isinstance(app.focused, RunTile)
        assert (app.focused.number, app.focused.worker.run_id) == (1, "runs")


async def test_a_refusal_goes_when_the_cursor_moves_to_another_run(store: Store) -> None:
    async with at_home(store) as (_, pilot):
        await shown_by_w(pilot)
        await pilot.press("m")
        await until(pilot, lambda: bool(shown_toasts(pilot.app)))
        assert "another program runs it" in shown_toasts(pilot.app)[0].message.lower()
        await pilot.press("g", "G")
        await until(pilot, lambda: not shown_toasts(pilot.app))


async def test_without_answers_to_count_no_pager_opens(store: Store) -> None:
    async with at_home(store) as (_, pilot):
        await shown_by_w(pilot)
        await pilot.press("W")
        await until(pilot, lambda: bool(shown_toasts(pilot.app)))
        assert [one.message for one in shown_toasts(pilot.app)] == ["No answers to count."]
        assert isinstance(pilot.app.screen, WallScreen)


async def test_runs_that_one_only_watches_are_marked(store: Store) -> None:
    async with at_home(store) as (_, pilot):
        await shown_by_w(pilot)
        tiles = list(pilot.app.screen.query(RunTile))
        await until(pilot, lambda: all("watching" in one.names for one in tiles))


async def test_the_palette_goes_to_a_run_of_the_wall_and_opens_one(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        started_here(home, store)
        await shown_by_w(pilot)
        app, wall = cast(SandboxTui, pilot.app), pilot.app.screen
        assert (await first_of(app, pilot, "go to run 1")).words == "Go to run 1"
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is wall and app.focused is not None)
        await until(pilot, lambda: cast(RunTile, app.focused).number == 1)
        assert (await first_of(app, pilot, "open run 2")).words == "Open run 2"
        for number in (1, 2):  # the chosen one, and another
            ((_, matches), *_) = cast(PaletteScreen, app.screen).groups(f"fork run {number}")
            assert [match.entry.words for match in matches] == [f"Fork run {number}"]
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Cockpit))
