"""What decides, ends or leaves something in the palette: it is not chosen by chance."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.palette.entry import RECENT, Entry, grouped
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from tests.screens.test_command_palette import entry, opened, words_of
from tests.waiting import until


@pytest.fixture
def app(store: Store, own_home: Path) -> SandboxTui:
    return SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)


def test_a_way_out_comes_first_if_it_is_called_so() -> None:
    quits = Entry("Actions", "home.quit", "Quit the program", "q", lambda: None, also="close exit")
    closes = replace(entry("Close the form and keep a draft"), detail="esc")
    searches = replace(entry("Find in the calls"), also="close")
    found = words_of("close", quits, searches, closes)
    assert found == {"Actions": [closes.words, searches.words, quits.words]}
    assert words_of("quit", replace(searches, also="quit"), quits)["Actions"][0] == quits.words


def test_what_decides_or_ends_something_is_not_among_the_recent_ones() -> None:
    names = ("live.approve", "live.end", "live.pause")
    entries = [Entry("Actions", name, name, "", lambda: None) for name in names]
    groups = grouped(entries, "", names)
    listed = {heading: [match.entry.name for match in found] for heading, found in groups}
    assert listed == {RECENT: ["live.pause"], "Actions": ["live.approve", "live.end"]}


async def test_a_typing_mistake_leaves_nothing(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(app, pilot)
        listed = app.screen.query_one(EntryList)
        await pilot.press(*"qiut")
        await until(pilot, lambda: listed.rows[:1] == ["No match; the closest: quit"])
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, PaletteScreen)
        assert app.is_running
        await pilot.press("down")
        await until(pilot, lambda: listed.current is not None)
        assert listed.current is not None
        assert listed.current.words == "Quit the program"
