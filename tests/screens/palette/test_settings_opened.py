"""Settings that are opened at one of them: it is in view from the first frame on."""

from __future__ import annotations

import pytest
from textual.screen import Screen

from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.setting_rows import id_of
from sandbox_tui.tui.screens.settings import SettingsScreen
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
