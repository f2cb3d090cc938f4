"""Escape on the screen of a run that has ended."""

from __future__ import annotations

from pathlib import Path

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.textual_support.toasts import passing_toasts
from tests.snapshots.sample_run import sample_run
from tests.snapshots.watched_run import WatchedRun
from tests.waiting import until


async def test_it_leaves_as_the_key_for_that_does(tmp_path: Path) -> None:
    end = e.RunFinished(reason="submitted", error=None, totals=e.Totals(), answer="1")
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    async with app.run_test(size=(160, 45), notifications=True) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        screen = LiveScreen(WatchedRun([sample_run()[0], end]), store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.finished)
        app.notify("A notice.", timeout=100)
        await until(pilot, lambda: passing_toasts(app))
        await pilot.press("escape")
        await until(pilot, lambda: not passing_toasts(app))
        assert app.screen is screen
        await pilot.press("down")  # so that the next escape is no repetition
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        first = LiveScreen(WatchedRun([sample_run()[0], end]), store)
        await app.switch_screen(first)
        await until(pilot, lambda: first.state.finished and app.screen is first)
        await pilot.press("down")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not first)
    store.close()
