"""Many runs on one screen."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.containers import VerticalScroll
from textual.events import Click, Key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import OptionList, Static, TextArea

from sandbox_tui.core.config.settings import data_dir, load
from sandbox_tui.core.run.run_request import requests_for
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.run_registry import ENDED_BY_USER
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.detached import Job, begin
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.lifecycle.first_screen import Attach
from sandbox_tui.tui.screens.cockpit.live.approving.approve_always import ApproveAlwaysDialog
from sandbox_tui.tui.screens.cockpit.live.approving.call_drafts import (
    CallDrafts,
    DraftOrOriginalDialog,
)
from sandbox_tui.tui.screens.cockpit.live.detaching_runs import DetachingRunsDialog
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.edit_call import CallDraft, EditCallDialog
from sandbox_tui.tui.screens.dialogs.leave_run import LeaveDialog, QuitDialog
from sandbox_tui.tui.screens.home.demo_request import demo_request
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from sandbox_tui.tui.screens.wall.dialogs.choose_mode_of_all import WallModeDialog
from sandbox_tui.tui.screens.wall.dialogs.decide_about_all import DecideAboutAllDialog
from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.calls.approval_bar import ApprovalBar
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from sandbox_tui.tui.widgets.wall.tile_layout import MIN_PANEL_HEIGHT, TileGrid
from sandbox_tui.tui.widgets.wall.waiting_panel import WaitingPanel
from tests.integration.conftest import require
from tests.unit.sample_run import keep, sample
from tests.waiting import until


def kinds(app: SandboxTui) -> list[str]:
    return [tile.kind for tile in app.screen.query(RunTile)]


def keys_of(app: SandboxTui) -> dict[str, str]:
    """The words of the key bar by action."""
    return {known.action: known.words for known in app.screen.query_one(KeyBar).keys_shown}


def wall_words(app: SandboxTui, action: str) -> str | None:
    """What the key of an action does now, whether or not the bar has room for it."""
    assert isinstance(app.screen, WallScreen)
    return app.screen.words_for(action)


def title(app: SandboxTui) -> str:
    return str(app.screen.query_one("#wall-title").render())


async def test_runs_are_shown_decided_and_opened(tmp_path: Path) -> None:
    require("bubblewrap")
    settings = load({"sandbox.kind": "bubblewrap", "agent.output": str(tmp_path / "out")})
    by_itself = demo_request(settings, speed=0)
    waiting = demo_request(settings, speed=0, mode="step")
    requests = [by_itself, *requests_for(waiting, [waiting.task], 2)]
    app = SandboxTui(settings, Store(tmp_path / "s.db"), requests)
    async with app.run_test(size=(120, 40)) as pilot:
        assert isinstance(app.screen, WallScreen)
        await until(pilot, lambda: kinds(app) == ["submitted", "waiting", "waiting"])
        await until(pilot, lambda: "1 submitted" in title(app))
        assert "3 runs" in title(app)
        assert "2 wait for you" in title(app)

        first, second, third = app.screen.query(RunTile)
        assert app.focused is first, "only keys move to the runs that wait"
        await pilot.press("end")
        assert app.focused is third
        second.focus()
        await pilot.press("down")  # to the last tile, in a row that is not full
        assert app.focused is third
        await pilot.press("down", "up", "right")
        assert app.focused is second
        for words, mode in (("resume", "paused"), ("pause", "step")):
            await pilot.press("space")
            await until(pilot, lambda words=words: wall_words(app, "pause") == words)
            assert second.state.mode == mode
        number = second.state.pending.call.number if second.state.pending else 0
        await approve(pilot, second)
        await until(pilot, lambda: len(second.state.calls) > number)
        assert second.state.calls[number].status in ("done", "running")

        await pilot.press("o")  # sort by state: waiting runs come first
        await until(pilot, lambda: [t.number for t in app.screen.query(RunTile)] == [2, 3, 1])
        await pilot.press("f")
        seen = [tile for tile in app.screen.query(RunTile) if tile.display]
        assert [tile.number for tile in seen] == [2, 3]
        await pilot.press(*"ff")  # those that have submitted, then all
        assert all(tile.display for tile in app.screen.query(RunTile))

        second.focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        live = app.screen
        assert isinstance(live, LiveScreen)
        await until(pilot, lambda: len(live.state.calls) == len(second.state.calls))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, WallScreen))
        assert not second.worker.ended.is_set(), "looking away ends nothing"

        second.focus()
        await pilot.press("x")
        await pilot.pause()
        await pilot.press("y")
        await until(pilot, second.worker.ended.is_set)
        await until(pilot, lambda: kinds(app).count("failed") == 1)

        await pilot.press("q")  # one run continues and is listed on the home screen
        await until(pilot, lambda: isinstance(app.screen, LeaveDialog))
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("ctrl+q", "y")
        await until(pilot, lambda: app.return_code is not None)
        assert app.return_code == 130
        ends = [worker.state.finished for worker in app.runs.all.values()]
        assert {end.error for end in ends if end and end.reason == "cancelled"} == {ENDED_BY_USER}


async def test_a_search_selects_runs(tmp_path: Path) -> None:
    require("bubblewrap")
    settings = load({"sandbox.kind": "bubblewrap", "agent.output": str(tmp_path / "out")})
    request = demo_request(settings, speed=0, mode="step")
    app = SandboxTui(settings, Store(tmp_path / "s.db"), requests_for(request, ["apples", "pears"]))
    async with app.run_test(size=(60, 20)) as pilot:
        await until(pilot, lambda: kinds(app) == ["waiting", "waiting"])
        await pilot.press("slash", *"pear", "enter")
        seen = [tile for tile in app.screen.query(RunTile) if tile.display]
        assert [tile.worker.request.task for tile in seen] == ["pears"]
        assert app.focused is seen[0]
        await pilot.press("escape")
        assert all(tile.display for tile in app.screen.query(RunTile))
        await app.action_quit()
        await pilot.press("y")
        await until(pilot, lambda: app.return_code is not None)


@contextlib.asynccontextmanager
async def waiting_runs(
    tmp_path: Path,
    tasks: Sequence[str],
    *,
    samples: int = 1,
    size: tuple[int, int] = (120, 40),
    database: Path | None = None,
) -> AsyncIterator[tuple[SandboxTui, Pilot[int]]]:
    """A program started with runs that each wait at their first call; ends them all afterwards."""
    require("bubblewrap")
    settings = load({"sandbox.kind": "bubblewrap", "agent.output": str(tmp_path / "out")})
    request = demo_request(settings, speed=0, mode="step")
    store = Store(database or tmp_path / "s.db")
    app = SandboxTui(settings, store, requests_for(request, tasks, samples))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: kinds(app) == ["waiting"] * len(tasks) * samples)
        yield app, pilot
        await app.runs.stop("The test is over.")


def tile(app: SandboxTui, number: int) -> RunTile:
    return next(tile for tile in app.screen.query(RunTile) if tile.number == number)


async def approve(pilot: Pilot[int], one: RunTile) -> None:
    """Approve the waiting call of the focused tile, once that shows it."""
    await until(pilot, lambda: one.drawn_call.shows(one.state.pending))
    await pilot.press("a")


async def test_a_double_click_opens_a_tile_and_single_clicks_only_choose(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["apples", "pears"]) as (app, pilot):
        second = tile(app, 2)
        for button in (1, 1, 3):
            second.post_message(_click(second, button=button, chain=1))
        second.post_message(_click(second, button=3, chain=2))
        await until(pilot, lambda: isinstance(app.screen, WallScreen))
        await pilot.click(second, times=2)
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        assert len(app.screen_stack) == 3


def _click(widget: RunTile, *, button: int, chain: int) -> Click:
    at = {"x": 1, "y": 1, "delta_x": 0, "delta_y": 0, "button": button}
    return Click(widget, **at, shift=False, meta=False, ctrl=False, chain=chain)


async def test_the_reason_for_a_rejection_is_typed_into_its_own_input(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        wall, first = app.screen, tile(app, 1)
        first.focus()
        number = first.state.pending.call.number if first.state.pending else 0
        await pilot.press("r", *"no o f q")
        assert isinstance(app.screen, PromptDialog)
        assert first.state.pending is not None
        await pilot.press("enter")
        await until(pilot, lambda: first.state.calls[number].status == "rejected")
        decided = first.state.calls[number].decided
        assert decided is not None
        assert decided.feedback == "no o f q"
        assert app.screen is wall
        assert "sorted by start" in title(app)

        second = tile(app, 2)
        second.focus()
        await pilot.press("r", *"oh", "escape")
        await until(pilot, lambda: app.screen is wall)
        assert second.state.pending is not None, "second thoughts decide nothing"


async def test_decisions_move_on_and_a_mode_is_set_for_the_group(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["count"], samples=3) as (app, pilot):
        wall, first = app.screen, tile(app, 1)
        first.focus()
        await approve(pilot, first)
        await until(pilot, lambda: app.focused is tile(app, 2))
        await pilot.press("r", "enter")
        await until(pilot, lambda: app.screen is wall and app.focused is tile(app, 3))
        await until(pilot, lambda: 1 in tile(app, 2).state.calls)
        await until(pilot, lambda: tile(app, 2).state.calls[1].status == "rejected")

        await pilot.press("Y")
        await until(pilot, lambda: isinstance(app.screen, ApproveAlwaysDialog))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is wall and bool(tile(app, 3).state.granted))

        assert not tile(app, 1).state.granted

        await pilot.press("M", "p")
        await until(pilot, lambda: tile(app, 3).state.mode == "ask")
        assert tile(app, 1).state.mode == "step"
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, WallModeDialog))
        await pilot.press("g", "p")
        await until(pilot, lambda: {one.state.mode for one in wall.query(RunTile)} == {"ask"})


async def test_the_listed_calls_of_all_runs_are_approved_and_no_others(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["count"], samples=3) as (app, pilot):
        wall = app.screen
        await until(pilot, lambda: keys_of(app).get("approve_all") in ("all 3", "decide on 3"))
        await pilot.press("A")
        await until(pilot, lambda: isinstance(app.screen, DecideAboutAllDialog))
        lines = [str(one.prompt) for one in app.screen.query_one(OptionList).options]
        assert [line[:9].split() for line in lines] == [["[x]", "run", str(n)] for n in (1, 2, 3)]
        third = tile_of(wall, 3).worker.run
        assert third is not None
        third.approve(1)  # elsewhere: its next call begins to wait while the list is shown
        await until(pilot, lambda: len(tile_of(wall, 3).state.calls) > 1)
        await until(pilot, lambda: tile_of(wall, 3).kind == "waiting")
        await pilot.press("down", "space")  # not the second
        await until(pilot, lambda: "decide('approve')" in keys_of(app))
        assert keys_of(app)["decide('approve')"] == "approve 2"
        await pilot.press("y")
        await until(pilot, lambda: len(tile_of(wall, 1).state.calls) > 1)
        decided = tile_of(wall, 1).state.calls[1].decided
        assert decided is not None
        assert (decided.verdict, decided.by) == ("approve", "human")
        assert tile_of(wall, 2).state.pending is not None
        assert tile_of(wall, 3).state.pending is not None
        assert notices(app) == ["Approved 1 call. 1 call no longer waited."]

        await until(pilot, lambda: kinds(app) == ["waiting"] * 3)
        await pilot.press("A")
        await until(pilot, lambda: isinstance(app.screen, DecideAboutAllDialog))
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, PromptDialog))
        await pilot.press("escape")  # to the list as it was
        await until(pilot, lambda: isinstance(app.screen, DecideAboutAllDialog))
        await pilot.press("space")
        await until(pilot, lambda: keys_of(app)["decide('approve')"] == "approve 2")
        await pilot.press("r", "escape")
        await until(pilot, lambda: isinstance(app.screen, DecideAboutAllDialog))
        assert keys_of(app)["decide('approve')"] == "approve 2"
        await pilot.press("space", "r")
        await until(pilot, lambda: isinstance(app.screen, PromptDialog))
        await pilot.press(*"not so", "enter")
        await until(pilot, lambda: tile_of(wall, 2).state.calls[1].status == "rejected")
        decided = tile_of(wall, 2).state.calls[1].decided
        assert decided is not None
        assert decided.feedback == "not so"


async def test_a_mode_is_set_for_all_runs_shown_whatever_their_group(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["count", "other"], samples=2) as (app, pilot):
        wall = app.screen
        tile(app, 1).focus()
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, WallModeDialog))
        options = app.screen.query_one(OptionList)
        last = options.get_option_at_index(options.option_count - 1).prompt
        assert "in all 4 runs shown" in str(last)
        await pilot.press("g", "p")
        await until(pilot, lambda: {one.state.mode for one in wall.query(RunTile)} == {"ask"})
        assert notices(app) == ["Mode ask in all 4 runs; 4 calls still wait: A decides on them."]
        await until(pilot, lambda: "  mode ask" in title(app))
        await pilot.press("slash", *"other", "enter", "M")
        await until(pilot, lambda: isinstance(app.screen, WallModeDialog))
        await pilot.press("g", "s")
        await until(pilot, lambda: tile_of(wall, 3).state.mode == "step")
        modes = [tile_of(wall, number).state.mode for number in (1, 2, 3, 4)]
        assert modes == ["ask", "ask", "step", "step"], "a filter chooses the runs"
        await until(pilot, lambda: "mode" not in title(app).replace("model", ""))
        await until(pilot, lambda: "· mode step" in str(tile_of(wall, 3).border_title))
        await pilot.press("escape", "escape")  # the notice, then the search
        await until(pilot, lambda: "· mode ask" in str(tile_of(wall, 1).border_title))

        tile(app, 1).focus()
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, WallModeDialog))
        assert modes_marked(app) == ["ask (policy)"]
        await pilot.press("g")
        assert modes_marked(app) == ["ask (policy)", "step"]
        await pilot.press("g")
        assert modes_marked(app) == ["ask (policy)"]
        await pilot.press("a")
        await until(pilot, lambda: tile_of(wall, 1).state.mode == "auto")
        assert notices(app)[-1] == "Mode auto in run 1; its call still waits: a approves it."


def notices(app: SandboxTui) -> list[str]:
    return [toast.message for toast in app._notifications]


def modes_marked(app: SandboxTui) -> list[str]:
    """The modes that the menu marks."""
    lines = [str(option.prompt) for option in app.screen.query_one(OptionList).options]
    return [line[5:18].strip() for line in lines[:3] if line.startswith("●")]


def tile_of(wall: Screen[Any], number: int) -> RunTile:
    return next(tile for tile in wall.query(RunTile) if tile.number == number)


async def test_approving_a_call_asks_about_the_draft_of_its_edit(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        wall, first = app.screen, tile(app, 1)
        first.focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        assert isinstance(app.screen, LiveScreen)
        await until(pilot, lambda: app.screen.query_one(ApprovalBar).display)
        assert app.screen.words_for("leave") == "back", "it asks nothing, unlike the wall"
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.press(*"more", "escape")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        await pilot.press("q")
        await until(pilot, lambda: app.screen is wall)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, DraftOrOriginalDialog))
        assert first.state.pending is not None
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        assert "more" in app.screen.query_one(TextArea).text
        await pilot.press("escape", "a")
        await until(pilot, lambda: isinstance(app.screen, DraftOrOriginalDialog))
        await pilot.press("y")
        await until(pilot, lambda: first.state.calls[1].decided is not None)
        decided = first.state.calls[1].decided
        assert decided is not None
        assert decided.verdict == "approve"


async def test_only_the_wall_that_the_program_began_with_is_left_and_asks(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        assert keys_of(app)["leave"] == "leave"
        wall = app.screen
        await pilot.press("escape")
        await until(pilot, lambda: notices(app) == ["q leaves the wall."])
        assert app.screen is wall, "esc asks nothing while its runs go on"
        await pilot.press("q", "b")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        home = app.screen
        assert isinstance(home, HomeScreen)
        home._starts.begin(
            requests_for(demo_request(app.settings.now, speed=0, mode="step"), ["x"], 2)
        )
        await until(pilot, lambda: kinds(app) == ["waiting"] * 2)
        assert keys_of(app)["leave"] == "back"
        await pilot.press("q")
        await until(pilot, lambda: app.screen is home)
        assert len(app.runs.running) == 4, "they go on in the background"
        await pilot.press("ctrl+q")
        await until(pilot, lambda: isinstance(app.screen, QuitDialog))
        assert "4 runs" in str(app.screen.query_one(Static).render())
        await pilot.press("ctrl+q")
        assert shown_toasts(app)[-1].message == "x ends all 4 runs and quits, esc stays."
        assert "x end and quit · esc stay" in str(app.screen.query_one(".dialog").border_subtitle)
        await pilot.press("x")
        await until(pilot, lambda: not app.runs.running)


async def test_calls_are_allowed_in_all_runs_of_the_task_and_nowhere_else(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["count", "other"], samples=2) as (app, pilot):
        first, second, *others = [tile(app, number) for number in (1, 2, 3, 4)]
        first.focus()
        await pilot.press("Y")
        await until(pilot, lambda: isinstance(app.screen, ApproveAlwaysDialog))
        line = app.screen.query_one("#allowed-group")
        assert "in all 2 runs of this task" in str(line.render())
        await pilot.press("ctrl+g", "ctrl+g")
        assert str(line.render()).startswith("[ ]")
        box = app.screen.query_one(VerticalScroll)
        assert str(box.border_title) == "approve always · run 1 · call 1 bash"
        await pilot.press("ctrl+g")
        assert str(line.render()).startswith("[x]")
        assert str(box.border_title) == "approve always in all 2 runs · run 1 · call 1 bash"
        await pilot.press("enter")
        for one in (first, second):
            await until(pilot, lambda one=one: bool(one.state.granted))
            await until(pilot, lambda one=one: one.state.calls[1].decided is not None)
            decided = one.state.calls[1].decided
            assert decided is not None
            assert (decided.verdict, decided.by) == ("approve", "human")
        assert not any(one.state.granted for one in others)
        assert all(one.state.pending is not None for one in others)


async def test_allowing_calls_in_all_runs_leaves_a_call_with_a_draft_waiting(
    tmp_path: Path,
) -> None:
    async with waiting_runs(tmp_path, ["count"], samples=3) as (app, pilot):
        first, second, third = [tile(app, number) for number in (1, 2, 3)]
        assert first.state.pending is not None
        edit = CallDraft(("wc -l drafts",), as_json=False, quoted=frozenset())
        CallDrafts(app.screen, first.worker).keep(1, edit, waits=False)
        second.focus()
        await pilot.press("Y")
        await until(pilot, lambda: isinstance(app.screen, ApproveAlwaysDialog))
        await pilot.press("ctrl+g", "enter")
        for one in (second, third):
            await until(pilot, lambda one=one: one.state.calls[1].decided is not None)
        await until(pilot, lambda: bool(first.state.granted))
        assert first.state.calls[1].decided is None
        words = "Allowed in 3 runs: 2 calls run; run 1 keeps waiting: it has a draft."
        assert words in {one.message for one in app._notifications}
        first.focus()
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, DraftOrOriginalDialog))


async def test_a_tile_is_selected_again_after_an_empty_result(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        tile(app, 2).focus()
        await pilot.press("slash", *"zzz", "enter")
        assert "zzz" in title(app)
        await until(pilot, lambda: not any(t.display for t in app.screen.query(RunTile)))
        await pilot.press("escape")
        assert app.focused is tile(app, 2)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))


async def test_a_filter_does_not_hide_that_runs_wait(tmp_path: Path) -> None:
    hidden = "of the hidden ones, 2 do: esc shows all."
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        await pilot.press("slash", *"zzz", "enter")
        await until(pilot, lambda: not any(t.display for t in app.screen.query(RunTile)))
        for key, what in (("n", "no run"), ("A", "no call")):
            await pilot.press(key)
            await until(pilot, lambda what=what: any(what in one for one in notices(app)))
        assert all(one.endswith(hidden) for one in notices(app))
        await pilot.press("escape")
        await until(pilot, lambda: all(t.display for t in app.screen.query(RunTile)))
        assert not notices(app)


async def test_the_header_names_the_filter_without_quotes(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        await pilot.press("f")
        assert "2 shown: waiting" in title(app)
        assert "'" not in title(app)
        wall = app.screen
        assert isinstance(wall, WallScreen)
        assert wall.words_for("leave") == "show all"
        await pilot.press("escape")
        await until(pilot, lambda: "shown" not in title(app))
        assert app.screen is wall
        assert wall.words_for("leave") == "leave"
        await pilot.press("slash")
        assert wall.words_for("leave") == "close"
        await pilot.press("escape")
        assert wall.words_for("leave") == "leave"
        await pilot.press("f", "f")  # no run is in any other state
        await until(pilot, lambda: "shown" not in title(app))
        await pilot.press("f")
        await pilot.press("slash", *"two", "enter")
        await until(pilot, lambda: "1 shown: waiting, “two”" in title(app))


async def test_words_are_found_in_calls_that_a_tile_no_longer_shows(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        first = tile(app, 1)
        first.focus()
        call = first.state.pending.call if first.state.pending else None
        assert call is not None
        program = json.loads(call.arguments)["command"].split()[0]
        for _ in range(2):
            number = len(first.state.calls)
            first.focus()
            await approve(pilot, first)
            await until(pilot, lambda number=number: len(first.state.calls) > number)
            await until(pilot, lambda: first.state.pending is not None)
        await pilot.press("slash", *program, "enter")
        await until(pilot, lambda: tile(app, 1).display)
        assert first.mentions(program)
        assert first.mentions(first.state.calls[call.number].finished.observation[:20])  # type: ignore[union-attr]
        assert not first.mentions("no run has ever said this")


async def test_leaving_the_first_wall_asks_about_its_runs(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        wall, typed_ahead = app.screen, [Key("x", "x"), Key("d", "d")]
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LeaveDialog))
        for key in typed_ahead:  # pressed before the question was asked
            app.post_message(key)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is wall)
        assert len(app.runs.running) == 2
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LeaveDialog))
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert len(app.runs.running) == 2

        await pilot.press("w")  # opened from here, the wall just returns to the home screen
        await until(pilot, lambda: isinstance(app.screen, WallScreen))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert len(app.runs.running) == 2


async def test_the_first_wall_is_left_for_good_when_the_runs_are_ended(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LeaveDialog))
        box = app.screen.query_one(".dialog")
        assert str(box.border_title) == "2 runs wait for you"
        assert "x end both" in str(box.border_subtitle), "it ends them at once"
        await pilot.press("x")
        await until(pilot, lambda: app.return_code is not None)
        assert app.return_code == 130


async def test_all_runs_shown_are_paused_and_resumed(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two", "three"]) as (app, pilot):
        tiles = [tile(app, number) for number in (1, 2, 3)]
        tile(app, 2).focus()
        await pilot.press("space")
        await until(pilot, lambda: tile(app, 2).state.mode == "paused")
        for words, mode in (("resume all", "paused"), ("pause all", "step")):
            await pilot.press("P")
            await until(pilot, lambda mode=mode: {one.state.mode for one in tiles} == {mode})
            await until(pilot, lambda words=words: wall_words(app, "pause_all") == words)
        assert list(notices(app)) == ["Resumed 3 runs."], "no notice says the opposite"


async def test_leaving_again_while_the_runs_end_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = asyncio.Event()
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        stop = app.runs.stop

        async def stop_and_wait(reason: str) -> None:
            await stop(reason)
            await left.wait()

        monkeypatch.setattr(app.runs, "stop", stop_and_wait)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LeaveDialog))
        await pilot.press("x")
        await until(pilot, lambda: not app.runs.running and isinstance(app.screen, WallScreen))
        wall = app.screen
        await pilot.press("q")
        await until(pilot, lambda: app.screen is not wall)
        left.set()
        await until(pilot, lambda: app.return_code is not None)
        assert app.return_code == 130


async def test_the_home_screen_says_which_runs_wait_for_a_person(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LeaveDialog))
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: "2 wait for you" in str(sessions.border_title))
        lines = "\n".join(line.plain for line in sessions.draw_block(0, 90))
        assert "◆" in lines
        assert "waits for you" in lines
        assert "1 steps" not in lines

        first = next(iter(app.runs.all.values()))
        assert first.run is not None
        await first.stop("enough")  # the list updates without a key press
        await until(pilot, lambda: "1 waits for you" in str(sessions.border_title))


async def test_two_runs_are_compared(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two", "three"]) as (app, pilot):
        wall = app.screen
        assert isinstance(wall, WallScreen)
        tile(app, 2).focus()
        await pilot.press("c")
        assert tile(app, 2).marked
        assert wall.words_for("compare") == "unmark"
        await pilot.press("c")
        assert not tile(app, 2).marked

        await pilot.press("c", "right")
        assert app.focused is tile(app, 3)
        assert wall.words_for("compare") == "compare with 2"
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        sides = app.screen._sides  # type: ignore[attr-defined]
        assert [run.task for run in sides] == ["two", "three"]
        await pilot.press("q")
        await until(pilot, lambda: app.screen is wall)
        assert not tile(app, 2).marked


async def test_answers_are_counted_and_the_end_is_summed_up(tmp_path: Path) -> None:
    require("bubblewrap")
    settings = load({"sandbox.kind": "bubblewrap", "agent.output": str(tmp_path / "out")})
    request = demo_request(settings, speed=0)
    app = SandboxTui(settings, Store(tmp_path / "s.db"), requests_for(request, [request.task], 2))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "All 2 runs have ended in" in title(app))
        assert "2 submitted" in title(app)
        assert "runs 1 2" in title(app)
        shown = "\n".join(str(tile.render()) for tile in app.screen.query(RunTile))
        assert request.task.split("\n")[0] not in shown, "the header says it for all"
        assert "answer: " in shown
        app.runs.store.delete(next(iter(app.runs.all)))
        await until(pilot, lambda: "1 run " in title(app))
        assert [one.number for one in app.screen.query(RunTile)] == [2]
        wall = app.screen
        app.notify("A notice.", timeout=100)
        await until(pilot, lambda: notices(app) == ["A notice."])
        await pilot.press("escape")
        await until(pilot, lambda: not notices(app))
        assert app.screen is wall
        await pilot.press("o", "escape")
        await until(pilot, lambda: app.screen is not wall)


async def test_a_panel_shows_the_call_that_small_tiles_cut(tmp_path: Path) -> None:
    tasks = [str(number) for number in range(6)]
    async with waiting_runs(tmp_path, tasks, size=(60, 20)) as (app, pilot):
        panel = app.screen.query_one(WaitingPanel)
        first = tile(app, 1)
        first.focus()
        await until(pilot, lambda: panel.display and "run 1 waits" in str(panel.render()))
        await until(pilot, lambda: "approve" in str(panel.render()))
        assert not any("approve" in str(one.render()) for one in app.screen.query(RunTile))
        assert first.state.pending is not None
        command = json.loads(first.state.pending.call.arguments)["command"]
        assert command.split()[0] in str(panel.render())
        await pilot.press("n")
        assert app.focused is tile(app, 2)
        await until(pilot, lambda: "run 2 waits" in str(panel.render()))
        await tile(app, 2).worker.stop("enough")
        await until(pilot, lambda: "run 3 waits for you  n go to it" in str(panel.render()))
        assert panel.size.height >= MIN_PANEL_HEIGHT, "it keeps its room"
        tile(app, 3).focus()
        await pilot.resize_terminal(160, 45)  # tiles that show all of their calls need none
        await until(pilot, lambda: not panel.display)
        assert "approve" in str(tile(app, 3).render())


async def test_the_tiles_take_all_of_the_space(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two", "three"]) as (app, pilot):
        grid = app.screen.query_one(TileGrid)
        await until(pilot, lambda: all(tile.size.height > 3 for tile in app.screen.query(RunTile)))
        area = sum(tile.outer_size.area for tile in app.screen.query(RunTile))
        assert area == grid.content_size.area
        await pilot.resize_terminal(60, 10)
        await until(
            pilot, lambda: {t.outer_size.height for t in app.screen.query(RunTile)} <= {1, 2}
        )


async def test_runs_are_moved_into_separate_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = data_dir() / "sessions.db"  # the database those programs use
    async with waiting_runs(tmp_path, ["one", "two"], database=database) as (app, pilot):
        ids = list(app.runs.all)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LeaveDialog))
        begin, last = app.shutdown.begin, list[Screen[Any]]()
        monkeypatch.setattr(app.shutdown, "begin", lambda: (last.append(app.screen), begin()))
        await pilot.press("d")
        store = Store(database)
        try:
            await until(pilot, lambda: app.return_code is not None)
            assert app.return_code == 0
            stays = [isinstance(one, DetachingRunsDialog) for one in last]
            assert stays == [True], "no wall of moved runs is seen before the program ends"
            assert [store.run(run_id).outcome for run_id in ids] == ["running", "running"]
            assert all(is_detached(run_id) for run_id in ids)
        finally:
            for run_id in ids:
                client = RunClient(store.run(run_id), store)
                await client.stop("The test is over.")
                client.leave()
            store.close()


async def test_runs_keep_their_numbers_whichever_sandbox_was_ready_first(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    names = ["20261126-110405-22222", "20261126-110405-33333", "20261126-110405-44444"]
    for name in names:
        keep(store, *sample("a task"), run_id=name)
    runs = [store.run(name) for name in (names[1], names[2], names[0])]
    app = SandboxTui(load(), store, Attach(runs))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: len(app.screen.query(RunTile)) == 3)
        assert [tile(app, number).worker.run_id for number in (1, 2, 3)] == names


def two_slow_runs(folder: Path) -> SandboxTui:
    """An app with two runs, in which no reply ends while the test lasts."""
    settings = load({"sandbox.kind": "bubblewrap", "agent.output": str(folder / "out")})
    request = demo_request(settings, speed=0.05)
    return SandboxTui(settings, Store(folder / "s.db"), requests_for(request, ["one", "two"]))


async def test_a_cancelled_detach_keeps_the_runs_here(tmp_path: Path) -> None:
    require("bubblewrap")
    app = two_slow_runs(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: all(w.state.reply for w in app.runs.all.values()))
        await app.action_quit()
        await until(pilot, lambda: isinstance(app.screen, QuitDialog))
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, DetachingRunsDialog))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, WallScreen))
        assert not any(worker.left for worker in app.runs.all.values())
        await app.runs.stop("The test is over.")


async def test_a_key_gives_up_the_replies_that_hold_a_detach_up(tmp_path: Path) -> None:
    require("bubblewrap")
    settings = load({"sandbox.kind": "bubblewrap", "agent.output": str(tmp_path / "out")})
    requests = requests_for(demo_request(settings, speed=0.05), ["one", "two"])
    app = SandboxTui(settings, Store(data_dir() / "sessions.db"), requests)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: all(w.state.reply for w in app.runs.all.values()))
        workers = list(app.runs.all.values())
        await app.action_quit()
        await until(pilot, lambda: isinstance(app.screen, QuitDialog))
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, DetachingRunsDialog))
        shown = str(app.screen.query_one("#how-far", Static).render())
        assert shown.strip() == "0 of 2 moved · waiting for 2 replies to end"
        bar = app.screen.query_one(KeyBar)
        words = "R ask again there  esc keep the rest here"
        await until(pilot, lambda: words in bar.render_line(0).text)
        await pilot.press("R")
        await until(pilot, lambda: not app.is_running)
    assert all(worker.left for worker in workers)
    again = Store(data_dir() / "sessions.db")
    for worker in workers:
        client = RunClient(again.run(worker.run_id), again)
        await client.stop("The test is over.")
        client.leave()


async def test_quitting_asks_again_above_everything_else(tmp_path: Path) -> None:
    """The palette opens over the question; `y` would then be typed into the palette."""
    require("bubblewrap")
    app = two_slow_runs(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: all(w.state.reply for w in app.runs.all.values()))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: isinstance(app.screen, QuitDialog))
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, PaletteScreen))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: isinstance(app.screen, QuitDialog))
        await pilot.press("y")
        await until(pilot, lambda: not app.runs.running)


@contextlib.asynccontextmanager
async def detached_samples(folder: Path) -> AsyncIterator[tuple[SandboxTui, Pilot[int]]]:
    """The home screen of a program that was started after two samples had been detached; each waits
    at its first call. Ends them afterwards."""
    require("bubblewrap")
    settings = load({"sandbox.kind": "bubblewrap", "agent.output": str(folder / "out")})
    request = demo_request(settings, speed=0, mode="step")
    jobs = [Job.of(one) for one in requests_for(request, ["count"], 2)]
    ids = await asyncio.gather(*(asyncio.to_thread(begin, job) for job in jobs))
    store = Store(data_dir() / "sessions.db")
    app = SandboxTui(settings, store)
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: bool(app.screen.query(SessionList)))
            sessions = app.screen.query_one(SessionList)
            await until(pilot, lambda: len(sessions.running) == 2)
            yield app, pilot
    finally:
        again = Store(data_dir() / "sessions.db")
        for run_id in ids:
            client = RunClient(again.run(run_id), again)
            await client.stop("The test is over.")
            client.leave()
        again.close()


async def test_the_wall_of_a_group_attaches_to_its_runs(tmp_path: Path) -> None:
    async with detached_samples(tmp_path) as (app, pilot):
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WallScreen))
        wall = app.screen
        await until(pilot, lambda: kinds(app) == ["waiting", "waiting"])
        assert "2 runs" in title(app)
        first = tile(app, 1)
        first.focus()
        await approve(pilot, first)
        await until(pilot, lambda: len(first.state.calls) == 2 and first.state.pending is not None)

        first.focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        live = app.screen
        assert isinstance(live, LiveScreen)
        await until(pilot, lambda: live.state.seq == first.state.seq)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is wall)
        await approve(pilot, first)  # the wall is still attached
        await until(pilot, lambda: len(first.state.calls) == 3)

        assert app.focused is tile(app, 2), "the next one that waits"
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("y")
        await until(pilot, lambda: kinds(app) == ["waiting", "failed"])
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))

        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: len(sessions.running) == 1)
        await pilot.press("w")  # one attached, one read from its record
        await until(pilot, lambda: kinds(app) == ["waiting", "failed"])
        await until(pilot, lambda: "✗ 1 cancelled" in title(app))
        await pilot.press("right")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))


async def test_marked_sessions_are_shown_side_by_side(tmp_path: Path) -> None:
    require("bubblewrap")
    settings = load({"sandbox.kind": "bubblewrap", "agent.output": str(tmp_path / "out")})
    store = Store(tmp_path / "s.db")
    for task in ("one", "two", "three"):
        keep(store, *sample(task), task)
    store.rename("three", "the best of them")
    app = SandboxTui(settings, store)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: bool(app.screen.query(SessionList)))
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: sessions.current is not None)
        home = app.screen
        assert isinstance(home, HomeScreen)
        assert home.why_unavailable("wall", ()) == "no run was started here yet"
        await pilot.press("space", "down", "space", "w")
        await until(pilot, lambda: isinstance(app.screen, WallScreen))
        await until(pilot, lambda: kinds(app) == ["submitted", "submitted"])
        named = next(one for one in app.screen.query(RunTile) if one.worker.run_id == "three")
        await until(pilot, lambda: named.session_title == "the best of them")
        await until(pilot, lambda: "the best of them" in str(named.border_title))
        await pilot.press("slash", *"best", "enter")
        assert [one for one in app.screen.query(RunTile) if one.display] == [named]


async def test_samples_begun_from_home_hide_earlier_runs_until_all_are_shown(
    tmp_path: Path,
) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LeaveDialog))
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        home = app.screen
        assert isinstance(home, HomeScreen)
        request = demo_request(app.settings.now, speed=0, mode="step")
        home._starts.begin(requests_for(request, ["three"], 2))
        await until(pilot, lambda: isinstance(app.screen, WallScreen))
        await until(pilot, lambda: len(kinds(app)) == 2)
        await until(pilot, lambda: "2 other runs hidden" in title(app))
        assert "2 runs" in title(app)
        await until(pilot, lambda: keys_of(app).get("filter") == "show all")
        await pilot.press("f")
        await until(pilot, lambda: len(kinds(app)) == 4)
        assert "hidden" not in title(app)
        numbers = {tile.worker.run_id: tile.number for tile in app.screen.query(RunTile)}
        while "2 other runs hidden" not in title(app):  # filters that match none are left out
            await pilot.press("f")
            await pilot.pause()
        await until(pilot, lambda: len(kinds(app)) == 2)
        await pilot.press("f")
        await until(pilot, lambda: len(kinds(app)) == 4)
        again = {tile.worker.run_id: tile.number for tile in app.screen.query(RunTile)}
        assert again == numbers
