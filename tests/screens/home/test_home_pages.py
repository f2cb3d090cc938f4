"""The home screen with more sessions than it loads at once."""

from __future__ import annotations

import contextlib
from pathlib import Path

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.home.home import PAGE
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
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
