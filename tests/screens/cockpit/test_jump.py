"""Jump mode: a letter for every place on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.dialogs.jump import JumpScreen
from tests.snapshots.sample_run import sample_run
from tests.waiting import until

RUN = "20260101-120000-sampl"


@pytest.fixture
def app(tmp_path: Path) -> SandboxTui:
    store = Store(tmp_path / "s.db")
    store.append(RUN, sample_run(RUN))
    return SandboxTui(load(), store, store.run(RUN))


def ready(app: SandboxTui) -> bool:
    """Whether the replay is shown and one of its widgets has the focus."""
    return isinstance(app.screen, ReplayScreen) and app.focused is not None


async def test_each_letter_leads_to_its_place(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await until(pilot, lambda: ready(app))
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        places = [widget for widget in screen.focus_chain if widget.region.area]
        assert len(places) >= 4, "calls, terminal, files, preview"
        for letter, place in zip("asdf", places, strict=False):
            await pilot.press("ctrl+o")
            await until(pilot, lambda: isinstance(app.screen, JumpScreen))
            await pilot.press(letter)
            await pilot.pause()
            assert app.screen is screen
            assert screen.focused is place


async def test_any_other_key_stays_and_escape_leaves(app: SandboxTui) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        await until(pilot, lambda: ready(app))
        screen, before = app.screen, app.focused
        await pilot.press("ctrl+o", "1", "space")
        await until(pilot, lambda: isinstance(app.screen, JumpScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        assert app.focused is before


async def test_a_click_is_a_place(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await until(pilot, lambda: ready(app))
        screen = app.screen
        files = screen.query_one("#files")
        await pilot.press("ctrl+o")
        await pilot.pause()
        x, y = files.region.x + 5, files.region.y + 3
        await pilot.click(offset=(x, y))
        await pilot.pause()
        assert app.screen is screen
        assert screen.focused is files
