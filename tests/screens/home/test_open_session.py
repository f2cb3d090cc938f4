"""Opening sessions from the home screen."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys import key_sequencer
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.unit.sample_run import keep, sample
from tests.waiting import until


@pytest.mark.parametrize(
    "keys",
    [
        ("escape", "q"),
        ("escape", "q", "q"),
        ("escape", "ctrl+q"),
        ("q", "q"),
        ("q", "q", "q"),
        ("q", "ctrl+q"),
    ],
)
async def test_q_right_after_a_replay_was_left_does_not_quit(
    store: Store, keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_sequencer, "LEFT_SECONDS", 60.0)  # however busy the machine is
    keep(store, *sample("words"))
    app = SandboxTui(load({}), store)
    async with app.run_test(size=(100, 30)) as pilot:
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: sessions.current is not None and sessions.has_focus)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.is_settled)
        await pilot.press(*keys[:2])
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert app.shutdown.has_begun == ("ctrl+q" in keys)
        await pilot.press(*keys[2:])
        assert app.shutdown.has_begun == (len(keys) > 2 or "ctrl+q" in keys)


async def test_a_session_that_was_deleted_in_the_meantime_is_reported_as_gone(
    tmp_path: Path,
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("words"))
        app = SandboxTui(load({}), store)
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: app.screen.query(SessionList))
            sessions = app.screen.query_one(SessionList)
            await until(pilot, lambda: sessions.current is not None and sessions.has_focus)
            with contextlib.closing(Store(tmp_path / "s.db")) as other:
                other.delete("r")
            await pilot.press("enter")
            await until(pilot, lambda: app._notifications)
            (notice,) = app._notifications
            assert notice.message.startswith("There is no session 'r'")
            assert isinstance(app.screen, HomeScreen)
