"""A live screen that is opened after much has happened: its panes have their sizes first."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.content import Content

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from sandbox_tui.tui.widgets.terminal.view import TerminalView
from tests.screens.cockpit.test_approving import controls
from tests.snapshots.sample_run import sample_run
from tests.snapshots.watched_run import WatchedRun
from tests.waiting import until

LINE = "".join(f"{number:04}" for number in range(60))


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)])
async def test_a_long_line_of_a_run_that_has_ended_is_wrapped_once(
    size: tuple[int, int], tmp_path: Path
) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    watched = WatchedRun(
        [
            sample_run()[0],
            e.TerminalOutput(terminal="model", data=LINE.encode()),
            e.RunFinished(reason="submitted", error=None, totals=e.Totals(), answer="1"),
        ]
    )
    watched.run = controls([])
    async with app.run_test(size=size) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.finished)
        await pilot.press("2")
        view = screen.query_one(TerminalPane).view
        await until(pilot, lambda: view.size and view.emulator.text(0).strip())
        await pilot.pause()
        width = view.scrollable_content_region.width
        emulator = view.emulator
        parts = [LINE[at : at + width] for at in range(0, len(LINE), width)]
        assert [emulator.text(index).rstrip() for index in range(len(parts))] == parts


class Noted(LiveScreen):
    """Remembers the classes that it had before its first layout."""

    classes_at_first: frozenset[str] = frozenset()

    def on_mount(self) -> None:
        self.classes_at_first = self.classes


async def test_the_first_layout_is_for_the_size_of_the_terminal(tmp_path: Path) -> None:
    app = SandboxTui(load(), Store(tmp_path / "s.db"))
    watched = WatchedRun([sample_run()[0]])
    watched.run = controls([])
    async with app.run_test(size=(60, 20)):
        screen = Noted(watched, Store(tmp_path / "s.db"))
        await app.push_screen(screen)
        assert {"-narrow", "-low", "-on-calls"} <= screen.classes_at_first


async def test_a_narrow_screen_names_the_panes_that_it_hides(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    watched = WatchedRun([sample_run()[0]])
    watched.run = controls([])
    async with app.run_test(size=(60, 20)) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)

        def title() -> str:
            return Content.from_markup(str(screen.query_one(Calls).border_title)).plain

        await until(pilot, lambda: title() == "calls 0 · 2 terminal · 3 files")
        await pilot.click(Calls, offset=(15, 0))  # the name of the terminal
        await until(pilot, lambda: isinstance(app.focused, TerminalView))
        assert not screen.query_one(Calls).is_on_screen
        await pilot.press("1")
        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: title() == "calls 0")
