"""The palette in a session finds the actions of all panes, and goes to the pane of the chosen one."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.dialogs.export_session import ExportDialog
from sandbox_tui.tui.screens.help.help_screen import HelpScreen
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from tests.perf.made_sessions import fill
from tests.screens.palette.test_evaluations import first_of
from tests.screens.palette.test_replay import replayed
from tests.waiting import until


@pytest.fixture
def app(store: Store, own_home: Path) -> SandboxTui:
    fill(store, "r", 5)
    return SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
@pytest.mark.parametrize(
    ("typed", "words", "pane"),
    [
        ("search terminal", "Search the terminal", TerminalPane),
        ("filter by name", "Filter by name", FileTree),
    ],
)
async def test_an_action_of_another_pane_is_run_there(
    app: SandboxTui, store: Store, size: tuple[int, int], typed: str, words: str, pane: type
) -> None:
    async with app.run_test(size=size) as pilot:
        screen = await replayed(app, pilot, store)
        entry = await first_of(app, pilot, typed)
        assert entry.words == words
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, PaletteScreen))
        await until(pilot, lambda: isinstance(app.screen.focused, Input))
        shown = screen.query_one(pane)
        await until(pilot, lambda: shown.display and shown.region.width > 1)


async def test_they_are_listed_only_for_a_typed_text(app: SandboxTui, store: Store) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        await replayed(app, pilot, store)
        await first_of(app, pilot, "download")
        listed = app.screen.query_one(EntryList)
        assert "Copy out of the sandbox" in listed.rows
        app.screen.query_one(Input).value = ""
        await until(pilot, lambda: len(listed.rows) > 20)
        assert "Find in the calls" in listed.rows
        assert "Copy out of the sandbox" not in listed.rows


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
async def test_an_action_whose_key_is_taken_in_this_pane_is_found_all_the_same(
    app: SandboxTui, store: Store, size: tuple[int, int]
) -> None:
    """In the files, the key of the export edits the file."""
    async with app.run_test(size=size) as pilot:
        screen = await replayed(app, pilot, store)
        await pilot.press("3")
        await until(pilot, lambda: isinstance(screen.focused, FileTree))
        entry = await first_of(app, pilot, "export")
        assert (entry.words, entry.detail) == ("Export the session", "1 E")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExportDialog))


async def test_the_help_finds_them_with_the_keys_that_go_there(
    app: SandboxTui, store: Store
) -> None:
    async with app.run_test(size=(160, 45)) as pilot:
        screen = await replayed(app, pilot, store)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and app.screen.is_mounted)
        shown = app.screen
        assert isinstance(shown, HelpScreen)
        everything = [words for _, words in shown.keys_shown]
        assert "Search the terminal" not in everything
        shown.query_one(Input).value = "search term"
        await until(pilot, lambda: shown.keys_shown == [("2 /", "Search the terminal")])
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and isinstance(screen.focused, Input))
