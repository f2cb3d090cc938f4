"""The key that sorts the list of sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox_tui.core.config import settings as config
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.home import home
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.unit.sample_run import keep, sample
from tests.waiting import until


async def test_a_key_sorts_the_sessions_and_the_title_says_how(
    own_home: Path, store: Store
) -> None:
    for name in ("zebra", "yak"):
        keep(store, *sample(name), run_id=name)
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(100, 30)) as pilot:
        shown = app.screen.query_one(SessionList)
        await until(pilot, lambda: shown.is_read)
        for order in ("outcome", "model", "tokens", "time", "cost"):
            await pilot.press("O")
            assert f"sorted by {order}" in str(shown.border_title)
            assert shown.cursor == 0
        await pilot.press("O")
        assert "sorted" not in str(shown.border_title)


async def test_sorting_goes_to_the_first_of_all_sessions_also_of_those_not_listed_before(
    own_home: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "PAGE", 2)
    for name in ("a", "b", "c", "d"):
        keep(store, *sample(name), run_id=name)
    with store.transaction() as connection:
        connection.execute("UPDATE runs SET cost = 9 WHERE id = 'a'")
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(100, 30)) as pilot:
        shown = app.screen.query_one(SessionList)
        await until(pilot, lambda: shown.is_read)
        await pilot.press(*"OOOOO")
        await until(pilot, lambda: shown.current is not None and shown.current.id == "a")
        assert shown.cursor == 0
