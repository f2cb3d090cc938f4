"""A run that could not start closes its own screen, but no screen on top of it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.dialogs.show_error import ErrorDialog
from sandbox_tui.tui.screens.files.edit_file import EditFileScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from tests.waiting import until


async def test_the_message_about_it_closes_no_editor_with_unsaved_text(tmp_path: Path) -> None:
    async def save(*_: object) -> None:
        raise SandboxTuiError("there is nothing to save to")

    settings = load(
        {
            "model.name": "m",
            "model.base_url": "http://127.0.0.1:9/v1",
            "model.local_ports": [],
            "sandbox.kind": "bubblewrap",
            "sandbox.image": "",
        }
    )
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        app = SandboxTui(settings, store)
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, HomeScreen))
            home = app.screen
            assert isinstance(home, HomeScreen)
            missing = tmp_path / "missing"
            home._starts.begin([RunRequest(task="a", settings=settings, input=missing)])
            await until(pilot, lambda: any(isinstance(s, LiveScreen) for s in app.screen_stack))
            live = next(s for s in app.screen_stack if isinstance(s, LiveScreen))
            await until(pilot, lambda: isinstance(app.screen, ErrorDialog))
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is home)
            assert not live.is_attached

            worker = live.worker
            again = LiveScreen(worker, store)
            editor = EditFileScreen("a.txt", b"text", save)
            app.push_screen(again)
            app.push_screen(editor)
            await until(pilot, lambda: isinstance(app.screen, ErrorDialog))
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is editor)
            assert editor.is_attached
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is home)
