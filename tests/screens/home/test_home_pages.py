"""The home screen with more sessions than it loads at once, and its search."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.home.home import PAGE
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.sessions.session_search_bar import SearchBar
from tests.perf.jump_ratio import many_sessions
from tests.waiting import until


async def test_every_session_can_be_reached(tmp_path: Path) -> None:
    total = PAGE * 2 + 50
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        many_sessions(store, total)
        app = SandboxTui(load({}), store)
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: app.screen.query(SessionList))
            sessions = app.screen.query_one(SessionList)
            await until(pilot, lambda: sessions.current is not None)
            assert sessions.block_count() == PAGE
            assert str(sessions.border_title) == f"sessions {total}"
            await until(pilot, lambda: sessions.has_focus)
            for read in (PAGE, 2 * PAGE, total):
                await until(pilot, lambda read=read: sessions.block_count() == read)
                await pilot.press("end")
            await until(pilot, lambda: sessions.cursor == total - 1)
            assert sessions.current is not None
            assert sessions.current.id == "session-00000"


@pytest.mark.parametrize("key", ["slash", "f"])
async def test_f_searches_as_the_slash_does(store: Store, key: str) -> None:
    app = SandboxTui(load({"model.name": "m", "model.local_ports": []}), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.screen.query(SessionList))
        await pilot.press(key)
        await until(pilot, lambda: app.screen.query_one(SearchBar).has_focus_within)
        await pilot.press("f")
        assert app.screen.query_one(SearchBar).query_one(Input).value == "f"
