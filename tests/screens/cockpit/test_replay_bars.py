"""The header and the key bar of a replay: the moment shown, and the keys of a search."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from textual.pilot import Pilot
from textual.widgets._toast import Toast

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.available_actions import available_actions, why_key_is_disabled
from sandbox_tui.tui.screens.cockpit.replay.replay_bar import ReplayBar
from sandbox_tui.tui.screens.cockpit.replay.replay_position import ReplayPosition
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.status_bar import StatusBar
from sandbox_tui.tui.widgets.timeline import Timeline
from tests.perf.made_sessions import fill
from tests.unit.sessions.interchange.test_unfinished_exports import lost_call, unfinished_call
from tests.waiting import until

SIZES = [(160, 45), (100, 30), (60, 20)]
STEPS = 20


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record a session of `STEPS` steps; return the database."""
    path = tmp_path_factory.mktemp("session") / "s.db"
    with contextlib.closing(Store(path)) as store:
        fill(store, "r", STEPS)
    return path


@asynccontextmanager
async def replayed(
    path: Path, size: tuple[int, int], place: ReplayPosition | None = None
) -> AsyncIterator[tuple[ReplayScreen, Pilot[int]]]:
    with contextlib.closing(Store(path)) as store:
        app = SandboxTui(load({"model.local_ports": []}), store, None)
        async with app.run_test(size=size, notifications=True) as pilot:
            screen = ReplayScreen(store.run("r"), store, playing=False, at=place)
            app.push_screen(screen)
            await until(pilot, lambda: app.screen is screen and screen._index.is_complete)
            await until(pilot, lambda: screen.is_settled)
            yield screen, pilot


def header(screen: ReplayScreen) -> str:
    return screen.query_one(StatusBar).render_line(0).text


def keys(screen: ReplayScreen) -> list[tuple[str, str]]:
    return [(known.key, known.words) for known in screen.query_one(KeyBar).keys_shown]


def text(screen: ReplayScreen) -> str:
    """Return what is drawn."""
    return "\n".join(strip.text for strip in screen._compositor.render_strips())


@pytest.mark.parametrize("size", SIZES)
async def test_the_keys_of_a_search_come_first(session: Path, size: tuple[int, int]) -> None:
    async with replayed(session, size) as (screen, pilot):
        assert ("esc", "end search") not in keys(screen)
        await pilot.press("0", "slash", *"step 7", "enter")
        back = "previous match" if size[0] > 80 else "previous"
        wanted = [("esc", "end search"), ("n", "next match"), ("N", back)]
        await until(pilot, lambda: keys(screen)[:3] == wanted)
        await pilot.press("escape")
        await until(pilot, lambda: ("n", "next match") not in keys(screen))
        assert ("esc", "end search") not in keys(screen)


async def test_help_names_the_call_that_the_narrow_bar_shortens(session: Path) -> None:
    async with replayed(session, (60, 20)) as (screen, _):
        words = {one.name: one.words for one in available_actions(screen)}
        assert words["replay.step"] == "Next call"
        assert all(words.values())


async def test_the_keys_of_a_run_say_that_this_is_a_replay(session: Path) -> None:
    async with replayed(session, (100, 30)) as (screen, _):
        words = {key: why_key_is_disabled(screen, key) for key in "armxzW"}
        assert words["a"] == "Approve: a replay shows what was recorded."
        assert words["r"] == "Reject: a replay shows what was recorded."
        assert words["W"] == "Full call: o opens the chosen call."
        assert words["z"] == "", "it has an action here"


async def test_an_answer_takes_the_line_of_the_position_and_news_leave_it(session: Path) -> None:
    async with replayed(session, (100, 30)) as (screen, pilot):
        bar, app = screen.query_one(ReplayBar), cast("SandboxTui", pilot.app)
        app.notify_news("primes quick: submitted · ctrl+p finds it", 4.0)
        await until(pilot, lambda: bool(screen.query(Toast)))
        await pilot.pause()
        assert bar.display
        assert screen.query_one(Timeline).region.bottom <= screen.query_one(Toast).region.y
        await pilot.press("escape")
        await until(pilot, lambda: not screen.query(Toast))
        app.notify("Approve: a replay shows what was recorded.")
        await until(pilot, lambda: bool(screen.query(Toast)) and not bar.display)


async def test_in_a_search_escape_first_puts_a_notice_away(session: Path) -> None:
    async with replayed(session, (100, 30)) as (screen, pilot):
        await pilot.press("0", "slash", *"step 7", "enter")
        await until(pilot, lambda: keys(screen)[0] == ("esc", "end search"))
        cast("SandboxTui", pilot.app).notify_news("primes quick: submitted", 60.0)
        await until(pilot, lambda: keys(screen)[0] == ("esc", "dismiss the notice"))
        await pilot.press("escape")
        await until(pilot, lambda: keys(screen)[0] == ("esc", "end search"))


async def test_two_keys_of_a_search_stay_in_the_smallest_bar(session: Path) -> None:
    async with replayed(session, (40, 12)) as (screen, pilot):
        await pilot.press("0", "slash", *"step 7", "enter")
        wanted = [("esc", "end search"), ("n", "next match")]
        await until(pilot, lambda: keys(screen)[:2] == wanted)


async def test_a_search_begun_elsewhere_has_its_keys_at_once(session: Path) -> None:
    place = ReplayPosition(0, step=7, words="step 7")
    async with replayed(session, (160, 45), place) as (screen, pilot):
        wanted = [("esc", "end search"), ("n", "next match"), ("N", "previous match")]
        await until(pilot, lambda: keys(screen)[:3] == wanted)


async def test_the_keys_from_match_to_match_are_not_in_the_bar_at_the_only_match(
    session: Path,
) -> None:
    async with replayed(session, (160, 45)) as (screen, pilot):
        await pilot.press("0", "slash", *"step 7", "enter")
        await until(pilot, lambda: ("n", "next match") in keys(screen))
        screen.look_for("step 7")
        screen._found._found = [screen.position]
        screen._show_hit()
        await until(pilot, lambda: ("n", "next match") not in keys(screen))
        assert ("N", "previous match") not in keys(screen)
        assert keys(screen)[0] == ("esc", "end search")
        assert ("f", "filter") in keys(screen)
        screen._found._found = [screen.position, screen.position + 1]
        screen._show_hit()
        await until(pilot, lambda: ("n", "next match") in keys(screen))


@pytest.mark.parametrize("size", SIZES)
async def test_the_header_tells_the_moment_and_no_running(
    session: Path, size: tuple[int, int]
) -> None:
    async with replayed(session, size) as (screen, pilot):
        assert header(screen).rstrip().endswith("✓ submitted")
        screen._moves.by_call(-1)
        await until(pilot, lambda: screen.is_settled and screen.state.finished is None)
        await pilot.pause()
        line = header(screen)
        assert line.rstrip().endswith(f"step {screen.state.step} of {STEPS}")
        assert f"a task of {STEPS} steps" in line
        assert "running" not in line
        assert "max" not in line
        assert line.count("step ") == 1
        if size[0] == 60:
            assert "mode" not in line


@pytest.mark.parametrize("resumed", [False, True])
async def test_a_call_that_was_cut_off_is_interrupted(tmp_path: Path, resumed: bool) -> None:
    path = tmp_path / "s.db"
    with contextlib.closing(Store(path)) as store:
        events: list[e.AnyEvent] = lost_call() if resumed else unfinished_call()
        store.append("r", events)
        store.give_up("r")
    async with replayed(path, (100, 30)) as (screen, pilot):
        sign = "✗" if resumed else "◌"
        await until(pilot, lambda: f"{sign} interrupted" in text(screen))
        assert header(screen).rstrip().endswith("◌ interrupted")
        if not resumed:
            await until(pilot, lambda: "◌ interrupted after 1 line" in text(screen))
            await pilot.press("up", "enter")
            await until(pilot, lambda: "$ sleep 100" in text(screen))
            await pilot.press("o")
            await until(pilot, lambda: isinstance(pilot.app.screen, PagerScreen))
            await until(pilot, lambda: "it had printed:" in text(pilot.app.screen))
            await pilot.press("escape")
        await pilot.press("comma")
        await until(pilot, lambda: screen.position == len(events) - 1)
        await until(pilot, lambda: "interrupted" not in text(screen))
