"""The key that sorts the list of sessions."""

from __future__ import annotations

from pathlib import Path

from sandbox_tui.core.config import settings as config
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
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
