"""The list of calls while it is hidden, because a narrow screen shows another pane."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.tui.widgets.calls.call_list import Calls
from tests.screens.cockpit.test_replay_screen import (
    replayed,
    session,  # noqa: F401 - a fixture
)
from tests.waiting import until

NARROW = (60, 20)


@pytest.mark.parametrize("size", [NARROW, (160, 45)])
async def test_calls_that_followed_when_they_were_hidden_follow_when_they_are_shown(
    session: tuple[Path, list[e.AnyEvent]],  # noqa: F811
    size: tuple[int, int],
) -> None:
    async with replayed(session[0], size) as (screen, pilot):
        calls = screen.query_one(Calls)
        screen._replay.speed = 16.0
        await pilot.press("space")
        await until(pilot, lambda: screen.state.step >= 3)
        await pilot.press("2")
        await pilot.resize_terminal(*NARROW)
        await until(pilot, lambda: not calls.display and not calls.size)
        assert calls.following
        await until(pilot, lambda: screen.state.step >= 12)
        await pilot.press("1")
        await until(pilot, lambda: calls.display and bool(calls.size))
        await pilot.press("space")
        await pilot.pause()
        assert calls.following
        assert calls.is_visible(calls.block_count() - 1)
        assert "new below" not in str(calls.border_subtitle)


async def test_calls_that_were_read_when_they_were_hidden_stay_there(
    session: tuple[Path, list[e.AnyEvent]],  # noqa: F811
) -> None:
    async with replayed(session[0], NARROW) as (screen, pilot):
        calls = screen.query_one(Calls)
        screen._replay.speed = 16.0
        await pilot.press("space")
        await until(pilot, lambda: screen.state.step >= 5 and calls.max_scroll_y > 10)
        await pilot.press("pageup")
        await until(pilot, lambda: not calls.following)
        before = calls.scroll_offset.y
        await pilot.press("2")
        await until(pilot, lambda: not calls.display and not calls.size)
        here = screen.state.step
        await until(pilot, lambda: screen.state.step >= here + 3)
        await pilot.press("1")
        await until(pilot, lambda: calls.display and bool(calls.size))
        await pilot.press("space")
        await pilot.pause()
        assert not calls.following
        assert calls.scroll_offset.y == before
