"""The dialog for the mode on a narrow screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import OptionList

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.choose_mode import ModeDialog
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.wall.dialogs.choose_mode_of_all import WallModeDialog
from tests.waiting import until


@pytest.mark.parametrize(
    ("dialog", "lines"),
    [
        (ModeDialog("auto"), 5),
        (ModeDialog("auto", allowed=120), 5),
        (WallModeDialog("auto", ["auto"] * 256, "all 256 runs shown", allowed=120), 6),
    ],
)
async def test_each_line_fits(tmp_path: Path, dialog: ModeDialog, lines: int) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    async with app.run_test(size=(60, 20)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await app.push_screen(dialog)
        options = dialog.query_one(OptionList)
        await until(pilot, lambda: options.size.height)
        assert options.virtual_size.height == lines
    store.close()
