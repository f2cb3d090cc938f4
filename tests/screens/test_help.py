"""The help: a filter that begins with the key of a search, and actions on rows of another kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.listing import EvalRow
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.help.help_screen import HelpScreen
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.snapshots.sample_eval import enter_eval
from tests.unit.sample_run import keep, sample
from tests.waiting import until


async def helped(app: SandboxTui, pilot: Pilot[int]) -> HelpScreen:
    await pilot.press("question_mark")
    await until(pilot, lambda: isinstance(app.screen, HelpScreen) and app.screen.is_mounted)
    assert isinstance(app.screen, HelpScreen)
    return app.screen


@pytest.fixture
def app(store: Store, own_home: Path) -> SandboxTui:
    keep(store, *sample("zebra"))
    return SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)


async def test_the_key_of_a_search_before_a_word_is_no_part_of_the_filter(
    app: SandboxTui,
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: sessions.current is not None)
        shown = await helped(app, pilot)
        field = shown.query_one(Input)
        field.value = "fork"
        await until(pilot, lambda: len(shown.keys_shown) == 1)
        by_word = shown.keys_shown
        for typed in ("/fork", " /fork", "//fork"):
            field.value = typed
            assert shown.keys_shown == by_word
        field.value = "/"
        assert [words for _, words in shown.keys_shown] == ["Find in all sessions"]
        field.value = "/ f"
        assert ("/ f", "Find in all sessions") in shown.keys_shown


async def test_actions_on_sessions_are_one_line_while_the_row_is_an_evaluation(
    app: SandboxTui, store: Store
) -> None:
    enter_eval(store, 8e9)
    async with app.run_test(size=(160, 45)) as pilot:
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: isinstance(sessions.current_row, EvalRow))
        shown = await helped(app, pilot)
        text = shown._list(palette_of(shown)).plain
        assert "7 more actions on a row that is a session" in text
        assert "this is an evaluation" not in text
        assert "Rename the session" not in text
        assert "Find in all sessions" in text
        shown.query_one(Input).value = "rename"
        await pilot.pause()
        text = shown._list(palette_of(shown)).plain
        assert "Rename the session – this is an evaluation: enter lists" in " ".join(text.split())


async def test_home_and_end_scroll_while_nothing_is_typed(app: SandboxTui) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        shown = await helped(app, pilot)
        scroll = shown.query_one(VerticalScroll)
        await until(pilot, lambda: scroll.max_scroll_y > 0)
        await pilot.press("end")
        await until(pilot, lambda: scroll.scroll_y == scroll.max_scroll_y)
        await pilot.press("home")
        await until(pilot, lambda: scroll.scroll_y == 0)
        await pilot.press("e", "end", "left")
        assert (shown.query_one(Input).cursor_position, scroll.scroll_y) == (0, 0)


@pytest.mark.parametrize(
    ("typed", "shown_words"),
    [
        ("stop", "Not on this screen: End the run (live run: x)"),
        ("zzz", "No matching keys. ctrl+p finds sessions, models,\nthemes and settings."),
    ],
)
async def test_an_action_of_another_screen_is_named(
    app: SandboxTui, typed: str, shown_words: str
) -> None:
    async with app.run_test(size=(60, 20)) as pilot:
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: sessions.current is not None)
        shown = await helped(app, pilot)
        shown.query_one(Input).value = typed
        await pilot.pause()
        assert shown._list(palette_of(shown)).plain == shown_words


async def test_shortened_words_are_found(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: sessions.current is not None)
        shown = await helped(app, pilot)
        shown.query_one(Input).value = "dlt"
        delete = "Delete the session, or all marked"
        await until(pilot, lambda: delete in [words for _, words in shown.keys_shown])
        assert len(shown.keys_shown) < 4


async def test_what_changes_below_meanwhile_is_shown(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: sessions.current is not None)
        shown = await helped(app, pilot)

        def why_not_deleted() -> str:
            return next(one.off for one in shown.actions_shown if one.name == "home.delete")

        assert why_not_deleted() == ""
        sessions.cursor = -1
        await until(pilot, lambda: why_not_deleted() == "no session is chosen")


async def test_a_key_is_found_as_the_key_bar_writes_it(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        shown = await helped(app, pilot)
        field = shown.query_one(Input)
        field.value = "ctrl+p"
        by_word = shown.keys_shown
        field.value = "^p"
        assert shown.keys_shown == by_word
        assert [words for _, words in by_word] == ["Find anything by name"]
