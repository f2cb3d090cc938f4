"""Many runs on one screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot

from sandbox_tui.core.config import load
from sandbox_tui.core.launch import several
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.demo import demo_request
from sandbox_tui.tui.screens.home import Home
from sandbox_tui.tui.screens.live import LiveScreen
from sandbox_tui.tui.screens.wall import Wall
from sandbox_tui.tui.widgets.run_tile import RunTile
from tests.integration.conftest import require


async def until(pilot: Pilot[int], done: Callable[[], bool]) -> None:
    for _ in range(1200):
        if done():
            return
        await pilot.pause(0.05)
    raise AssertionError("it never came")


def kinds(app: SandboxTui) -> list[str]:
    return [tile.kind for tile in app.screen.query(RunTile)]


def title(app: SandboxTui) -> str:
    return str(app.screen.query_one("#wall-title").render())


async def test_runs_are_seen_decided_about_and_looked_into(tmp_path: Path) -> None:
    require("bubblewrap")
    settings = load({"sandbox.kind": "bubblewrap", "agent.output": str(tmp_path / "out")})
    by_itself = demo_request(settings, speed=0)
    waiting = demo_request(settings, speed=0, mode="step")
    requests = [by_itself, *several(waiting, [waiting.task], 2)]
    app = SandboxTui(settings, Store(tmp_path / "s.db"), requests)
    async with app.run_test(size=(120, 40)) as pilot:
        assert isinstance(app.screen, Wall)
        await until(pilot, lambda: kinds(app) == ["submitted", "waiting", "waiting"])
        await until(pilot, lambda: "1 submitted" in title(app))
        assert "3 runs" in title(app)
        assert "2 wait for you" in title(app)

        await pilot.press("right")
        second = app.screen.query(RunTile)[1]
        assert app.focused is second
        await pilot.press("down")  # to the last, in a row that is not full
        assert app.focused is app.screen.query(RunTile)[2]
        await pilot.press("down", "up", "right")
        assert app.focused is second
        number = second.state.pending.call.number if second.state.pending else 0
        await pilot.press("a")
        await until(pilot, lambda: len(second.state.calls) > number)
        assert second.state.calls[number].status in ("done", "running")

        await pilot.press("o")  # by state: what waits comes first
        await until(pilot, lambda: [t.number for t in app.screen.query(RunTile)] == [2, 3, 1])
        await pilot.press("f")
        seen = [tile for tile in app.screen.query(RunTile) if tile.display]
        assert [tile.number for tile in seen] == [2, 3]
        await pilot.press("f", "f", "f", "f")
        assert all(tile.display for tile in app.screen.query(RunTile))

        second.focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        live = app.screen
        assert isinstance(live, LiveScreen)
        await until(pilot, lambda: len(live.state.calls) == len(second.state.calls))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, Wall))
        assert not second.worker.ended.is_set(), "looking away ends nothing"

        second.focus()
        await pilot.press("x")
        await pilot.pause()
        await pilot.press("y")
        await until(pilot, second.worker.ended.is_set)
        await until(pilot, lambda: kinds(app).count("failed") == 1)

        await pilot.press("q")  # one goes on: it is found on the home screen
        await until(pilot, lambda: isinstance(app.screen, Home))
        await app.action_quit()
        assert app.return_code == 130


async def test_words_choose_among_the_runs(tmp_path: Path) -> None:
    require("bubblewrap")
    settings = load({"sandbox.kind": "bubblewrap", "agent.output": str(tmp_path / "out")})
    request = demo_request(settings, speed=0, mode="step")
    app = SandboxTui(settings, Store(tmp_path / "s.db"), several(request, ["apples", "pears"]))
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
