"""Selected text is legible in every theme."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.selection import Selection

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.terminal.drawing import _contrast
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from tests.unit.sample_run import keep, sample

OURS = ("lamplight", "daylight", "contrast", "ansi")


@pytest.mark.parametrize("theme", [*OURS, "nord", "textual-light"])
async def test_selected_text_can_be_read(theme: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    keep(store, *sample("what the command says"))
    app = SandboxTui(load({}), store, store.run("r"))
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.press("dollar_sign")
        app.theme = theme
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        for widget in (screen.query_one(TerminalPane).view, screen.query_one(Calls)):
            screen.selections = {widget: Selection(None, None)}
            await pilot.pause()
            looks = {
                (segment.style.color, segment.style.bgcolor)
                for strip in widget.render_lines(widget.size.region)
                for segment in strip
                if segment.style is not None and segment.text.strip()
            }
            screen.clear_selection()
            await pilot.pause()
            assert looks
            for colour, ground in looks:
                assert colour is not None
                assert ground is not None
                assert colour != ground
                if theme in OURS[:3]:
                    assert _contrast(colour, ground) >= 4.5
    store.close()
