"""Every target reacts to the mouse exactly where it is drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from textual.events import MouseDown
from textual.widget import Widget
from textual.widgets._toast import Toast, ToastRack

from sandbox_tui.core.config import settings as config
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.help.help_screen import HelpScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.settings import SettingsScreen
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from sandbox_tui.tui.widgets.timeline import Timeline
from tests.unit.sample_run import keep, sample


@pytest.fixture
def app(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxTui]:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_NAME", "m")
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    for task in ("first", "second", "third"):
        events, contents = sample(task)
        events[0] = msgspec.structs.replace(events[0], run_id=task)
        keep(store, events, contents, task)
    yield SandboxTui(config.load(), store)
    store.close()


def text_of(widget: Widget) -> list[str]:
    return [widget.render_line(y).text for y in range(widget.content_size.height)]


async def click_on(pilot: Any, widget: Widget, words: str, times: int = 1) -> None:
    """Click on text where it is drawn."""
    for y, line in enumerate(text_of(widget)):
        if words in line:
            left, top = widget.content_region.offset - widget.region.offset
            offset = (left + line.index(words), top + y)
            await pilot.click(widget, offset=offset, times=times)
            await pilot.pause()
            return
    raise AssertionError(f"{words} is not drawn: {text_of(widget)}")


async def settled(pilot: Any) -> None:
    for _ in range(5):
        await pilot.pause(0.02)


async def test_sessions_and_the_key_bar_are_clicked(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await settled(pilot)
        sessions = app.screen.query_one(SessionList)
        await click_on(pilot, sessions, "second")
        assert sessions.current is not None
        assert sessions.current.task.startswith("second")
        await click_on(pilot, app.screen.query_one(KeyBar), "settings")
        assert isinstance(app.screen, SettingsScreen)
        await click_on(pilot, app.screen.query_one(KeyBar), "cancel")
        assert isinstance(app.screen, HomeScreen)
        await click_on(pilot, app.screen.query_one(KeyBar), "help")
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("escape")
        await click_on(pilot, sessions, "second")
        assert isinstance(app.screen, ReplayScreen)


async def test_every_entry_of_the_key_bar_does_what_its_key_does(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await settled(pilot)
        bar = app.screen.query_one(KeyBar)
        bar.render_line(0)
        seen = [action for _, _, action, _ in bar._places]
        assert len(seen) >= 8
        for start, end, action, _ in bar._places:
            line = text_of(bar)[0]
            assert line[start:end].strip(), action
            assert re.search(r"\S", line[end - 1])


async def test_the_panes_of_a_replay_are_clicked(app: SandboxTui) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        await pilot.press("dollar_sign")
        await settled(pilot)
        screen = app.screen
        calls, files = screen.query_one(Calls), screen.query_one(FileTree)
        for pane, words in ((calls, "2 edit"), (files, "old.txt")):
            await click_on(pilot, pane, words)
            assert app.focused is pane
            assert words in "\n".join(_drawn(pane, pane.cursor)), (words, pane.cursor)
        timeline = screen.query_one(Timeline)
        await pilot.click(timeline, offset=(timeline.content_region.x - timeline.region.x + 2, 0))
        await settled(pilot)
        assert timeline.position == 0
        await pilot.click(timeline, offset=(timeline.region.width // 2, 0))
        await settled(pilot)
        assert timeline.position > 0
        terminals = screen.query_one(TerminalPane)
        await pilot.click(terminals, offset=(10, 5))
        assert terminals in app.focused.ancestors_with_self  # type: ignore[union-attr]


def _drawn(blocks: BlockList, index: int) -> list[str]:
    return [line.plain for line in blocks.draw_block(index, blocks._width)]


async def test_a_click_on_what_is_being_taken_away_is_passed_over(app: SandboxTui) -> None:
    """A notification stays visible until the next refresh."""
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settled(pilot)
        app.notify("soon gone", timeout=60)
        await settled(pilot)
        notice = app.screen.get_child_by_type(ToastRack).query_one(Toast)
        x, y = notice.content_region.offset
        above, notice._parent = notice._parent, None
        assert app.screen.get_widget_and_offset_at(x, y)[0] is notice
        await app.on_event(MouseDown(None, x, y, 0, 0, 1, False, False, False, x, y))
        notice._parent = above
        assert app.screen._select_state is None
