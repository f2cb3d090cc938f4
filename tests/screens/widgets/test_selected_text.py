"""Selected text is legible in every theme."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from textual.selection import Selection
from textual.theme import BUILTIN_THEMES

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.terminal.drawing import _contrast
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from tests.unit.sample_run import keep, sample
from tests.waiting import until

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


async def test_the_selected_row_can_be_read_in_every_listed_theme(tmp_path: Path) -> None:
    poor: list[str] = []
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        for run_id in ("a", "b"):
            keep(store, *sample("what the command says"), run_id=run_id)
        app = SandboxTui(load({}), store)
        async with app.run_test(size=(160, 45)) as pilot:
            rows = app.screen.query_one(SessionList)
            await until(pilot, lambda: rows.block_count() == 2)
            assert isinstance(app.screen, HomeScreen)
            names = app._themes.look_again()
            assert set(names) >= {*OURS, *BUILTIN_THEMES}
            for theme in names:
                app.theme = theme
                await pilot.pause()
                poor += [f"{theme}: {problem}" for problem in problems_of_the_rows(rows)]
    assert not poor, "\n".join(poor)


def problems_of_the_rows(rows: SessionList) -> list[str]:
    """Say which texts of the selected row are illegible, or that it looks as the others do."""
    selected, other = (rows.render_line(y) for y in (0, 1))
    found: list[str] = []
    for segment in selected:
        colour, ground = segment.style.color, segment.style.bgcolor  # type: ignore[union-attr]
        assert colour is not None
        assert ground is not None
        if not segment.text.strip():
            continue
        if colour.triplet is None or ground.triplet is None:
            if colour == ground:
                found.append(f"{segment.text!r} has the colour of its ground")
        elif _contrast(colour, ground) < 4.5:
            found.append(f"{segment.text!r} has a contrast of {_contrast(colour, ground):.1f}")
    grounds = {segment.style.bgcolor for row in (selected, other) for segment in row}  # type: ignore[union-attr]
    return found if len(grounds) > 1 else [*found, "the selected row looks like the others"]
