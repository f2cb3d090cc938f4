"""The help and the palette list every action available at the current place exactly once."""

from __future__ import annotations

import contextlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.available_actions import MOVING, available_actions
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.dialogs.export_session import ExportDialog
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.screens.help.help_screen import HelpScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.import_sessions import ImportDialog
from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from sandbox_tui.tui.screens.palette.sources import action_entries
from sandbox_tui.tui.screens.settings import SettingsScreen
from tests.perf.made_sessions import fill
from tests.screens.cockpit.test_replay_screen import until

INTERNALS = ("Focus Next", "Focus Previous", "Scroll Left", "Page Left", "Screenshot", "Maximize")


@pytest.mark.parametrize(
    ("key", "kind", "keys"),
    [("I", ImportDialog, {"enter"}), ("ctrl+p", PaletteScreen, {"enter", "↑", "↓"})],
)
async def test_help_lists_the_keys_that_the_border_of_a_dialog_names(
    store: Store, key: str, kind: type[Screen[Any]], keys: set[str]
) -> None:
    app = SandboxTui(load({}), store)
    async with app.run_test(size=(60, 20)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, kind) and bool(app.screen.focused))
        assert keys <= {key for one in available_actions(app.screen) for key in one.keys}


@pytest.mark.parametrize(
    ("key", "kind", "names"),
    [
        ("comma", SettingsScreen, {"app.quit", "app.palette"}),
        ("n", NewRunDialog, {"app.quit", "app.palette"}),
        ("ctrl+p", PaletteScreen, {"app.quit"}),
    ],
)
async def test_help_lists_the_keys_that_work_in_every_dialog(
    store: Store, key: str, kind: type[Screen[Any]], names: set[str]
) -> None:
    app = SandboxTui(load({"model.local_ports": [1]}), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, kind) and bool(app.screen.focused))
        found = {one.name for one in available_actions(app.screen)}
        assert found & {"app.quit", "app.palette"} == names


async def test_help_of_a_text_in_which_nothing_opens_lists_no_enter(store: Store) -> None:
    app = SandboxTui(load({}), store)
    async with app.run_test(size=(60, 20)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await app.push_screen(PagerScreen("text", "one\ntwo"))
        names = {one.name for one in available_actions(app.screen)}
        assert "list.down" in names
        assert "list.open" not in names


@pytest.mark.parametrize("pane", ["1", "2", "3", "home"])
async def test_each_action_is_listed_once_and_none_of_textuals_own(
    tmp_path: Path, pane: str
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        fill(store, "r", 3)
        app = SandboxTui(load({}), store, None if pane == "home" else store.run("r"))
        async with app.run_test(size=(160, 45)) as pilot:
            kind = HomeScreen if pane == "home" else ReplayScreen
            await until(pilot, lambda: isinstance(app.screen, kind))
            if pane != "home":
                await pilot.press(pane)
                await pilot.pause()
            here = available_actions(app.screen)
            assert {action.name for action in here} <= {*ACTIONS, "screen.copy_text"}
            named = Counter(action.name for action in here)
            assert max(named.values()) == 1
            groups = [action.group for action in here]
            assert len(set(groups)) == sum(
                before != now for before, now in zip(["", *groups], groups, strict=False)
            ), "a group stands together"

            listed = {"home": "Sessions", "1": "Calls", "3": "Files"}
            if pane in listed:
                of_listed = [one.name for one in here if one.group == listed[pane]]
                assert of_listed[0] == "list.open", "what enter does there comes first"
            if pane != "home":  # a pane without anything to scroll leaves the arrows to the screen
                keys = {action.name: action.keys for action in here}
                assert (keys["replay.step_back"], keys["replay.step"]) == (("←", "h"), ("→", "l"))

            titles = [entry.words for entry in action_entries(app, app.screen)]
            assert max(Counter(titles).values()) == 1
            assert not set(titles) & {*INTERNALS, "Up", "Down", "First", "Last", "Page down"}
            assert {"Quit the program", "Keys of this screen"} <= set(titles)

            await pilot.press("question_mark")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            screen = app.screen
            assert isinstance(screen, HelpScreen)
            words = [what for _, what in screen.keys_shown]
            assert not set(words) & set(INTERNALS)
            assert all(what[0].isupper() for what in words)
            assert (MOVING in groups) or pane == "2"
            await pilot.pause()
            table = screen.query_one("#help-keys")
            text = "\n".join(table.render_line(y).text for y in range(table.size.height))
            assert all(group in text for group in groups)
            assert all(what[:20] in text for what in words)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("speed", {"Play faster", "Play slower"}),
        ("jump", {"Go to a step"}),
        ("skip", {"Next call", "Next event", "One second forward"}),
        ("picture", {"Save a screenshot"}),
        ("report", {"Export the session"}),
        ("exit", {"Quit the program"}),
    ],
)
async def test_the_help_finds_actions_by_other_words(
    tmp_path: Path, typed: str, words: set[str]
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        fill(store, "r", 1)
        app = SandboxTui(load({}), store, store.run("r"))
        async with app.run_test(size=(160, 45)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
            await pilot.press("question_mark")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            await pilot.press(*typed)
            screen = app.screen
            assert isinstance(screen, HelpScreen)
            await until(pilot, lambda: words <= {what for _, what in screen.keys_shown})
            assert len(screen.keys_shown) < 15


async def test_enter_runs_the_only_action_that_the_help_still_lists(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        fill(store, "r", 3)
        app = SandboxTui(load({}), store, store.run("r"))
        async with app.run_test(size=(160, 45)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
            await pilot.press("question_mark")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            await pilot.press("enter")
            assert isinstance(app.screen, HelpScreen), "several are left"
            await pilot.press(*"export", "space", *"the", "enter")
            await until(pilot, lambda: isinstance(app.screen, ExportDialog))
            await pilot.press("escape", "question_mark")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            await pilot.press("E")
            screen = app.screen
            assert isinstance(screen, HelpScreen)
            await until(pilot, lambda: screen.enter_words == "run E")
            assert len(screen.keys_shown) > 1
            assert "enter run E · " in str(screen.query_one(".dialog").border_subtitle)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ExportDialog))


async def test_the_key_that_opens_the_help_closes_it_unless_something_is_typed(
    tmp_path: Path,
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        app = SandboxTui(load({}), store)
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(app.screen, HomeScreen))
            await pilot.press("question_mark")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            await pilot.press("question_mark")
            await until(pilot, lambda: isinstance(app.screen, HomeScreen))
            await pilot.press("question_mark")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            await pilot.press("a", "question_mark")
            assert app.screen.query_one(Input).value == "a?"
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, HomeScreen))
