"""Settings that are opened at one of them: it is in view from the first frame on."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.screen import Screen

from sandbox_tui.core.config import settings as config
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.setting_rows import id_of
from sandbox_tui.tui.screens.settings import SettingsScreen
from tests.screens.palette.test_evaluations import first_of
from tests.scripted_server import ScriptedServer, say
from tests.waiting import until


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)])
@pytest.mark.parametrize(
    "name", ["ui.theme", "model.name", "agent.mode", "limits.max_steps", "limits.max_attempts"]
)
async def test_a_setting_is_in_view_from_the_first_frame_on(
    app: SandboxTui, size: tuple[int, int], name: str
) -> None:
    async with app.run_test(size=size) as pilot:
        screen = SettingsScreen(app.settings, app._themes, at=name)
        in_view: list[bool] = []

        def note(_: Screen[object]) -> None:
            rows, field = screen.query_one("#rows"), screen.query_one(f"#{id_of(name)}")
            visible = screen.region.intersection(rows.region)
            in_view.append(visible.y <= field.region.y < visible.bottom)

        screen.screen_layout_refresh_signal.subscribe(app, note, immediate=True)
        await app.push_screen(screen)
        await until(pilot, lambda: in_view and app.focused is not None)
        for _ in range(4):
            await pilot.pause()
        assert in_view == [True] * len(in_view)


async def test_what_is_chosen_over_the_settings_is_saved_with_them(
    store: Store, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_MODEL_LOCAL_PORTS", "[]")
    with ScriptedServer([say("hello")]) as server:
        server.models = ["gpt-oss-20b"]
        monkeypatch.setenv("SANDBOX_TUI_MODEL_BASE_URL", server.url)
        app = SandboxTui(config.load(), store)
        async with app.run_test(size=(100, 30)) as pilot:
            screen = SettingsScreen(app.settings, app._themes)
            await app.push_screen(screen)
            before = app.theme
            for typed, field in (("daylight", "ui-theme"), ("gpt-oss-20b", "model-name")):
                first = await first_of(app, pilot, typed)
                assert first.words == typed
                await pilot.press("enter")
                await until(pilot, lambda field=field: app.focused is screen.query_one(f"#{field}"))
            texts = {row.name: screen._text(row.name) for row in screen._changed_rows}
            assert texts == {"ui.theme": "daylight", "model.name": "gpt-oss-20b"}
            assert app.theme == "daylight"
            assert config.load().ui.theme != "daylight"
            assert config.load().model.name == ""
            await pilot.press("escape", "y")
            await until(pilot, lambda: not isinstance(app.screen, SettingsScreen))
            await until(pilot, lambda: app.theme == before)
