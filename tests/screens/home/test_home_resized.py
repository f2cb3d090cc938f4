"""The row under the cursor stays in view while the terminal is resized."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from sandbox_tui.core.config import settings as config
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.widgets.sessions.session_detail_pane import SessionDetailPane
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.unit.sample_run import keep, sample
from tests.waiting import until

LARGE, SMALL = (160, 45), (100, 30)


@asynccontextmanager
async def fifteen_sessions(store: Store) -> AsyncGenerator[tuple[Pilot[int], SessionList]]:
    for number in range(15):
        keep(store, *sample(f"task {number}"), run_id=f"s{number:02}")
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=LARGE) as pilot:
        shown = app.screen.query_one(SessionList)
        await until(pilot, lambda: shown.is_read and bool(shown.size.height))
        yield pilot, shown


async def resize(pilot: Pilot[int], shown: SessionList, size: tuple[int, int]) -> None:
    """Resize the terminal, and wait until the list and the details share it again."""
    detail = pilot.app.screen.query_one(SessionDetailPane)

    def shares() -> bool:
        laid_out = shown.outer_size.width == size[0] - 2
        return laid_out and (not detail.display or shown.region.bottom <= detail.region.y)

    await pilot.resize_terminal(*size)
    await until(pilot, shares)
    await pilot.pause()


def cursor_is_whole(shown: SessionList) -> bool:
    return shown.is_visible(shown.cursor) and not shown.hidden_below(shown.cursor)


@pytest.mark.parametrize("keys", [("end", "up"), ("end",), ("end", "f5")])
async def test_the_cursor_stays_in_view_when_rows_take_more_lines(
    own_home: Path, store: Store, keys: tuple[str, ...]
) -> None:
    async with fifteen_sessions(store) as (pilot, shown):
        await pilot.press(*keys)
        await pilot.pause()
        assert shown.max_scroll_y == 0
        for size in (SMALL, (60, 20), SMALL, LARGE):
            await resize(pilot, shown, size)
            assert cursor_is_whole(shown), size


async def test_a_click_after_the_end_key_keeps_its_row_in_view(
    own_home: Path, store: Store
) -> None:
    async with fifteen_sessions(store) as (pilot, shown):
        await pilot.press("end")
        await pilot.click(SessionList, offset=(5, 2))
        clicked = shown.cursor
        assert clicked < 3
        await resize(pilot, shown, SMALL)
        assert shown.cursor == clicked
        assert cursor_is_whole(shown)


async def test_a_resize_returns_to_the_cursor_of_a_list_that_was_scrolled_away(
    own_home: Path, store: Store
) -> None:
    async with fifteen_sessions(store) as (pilot, shown):
        await resize(pilot, shown, SMALL)
        shown.scroll_to(y=shown.max_scroll_y, animate=False, force=True, immediate=True)
        assert not shown.is_visible(0)
        await resize(pilot, shown, (90, 30))
        assert shown.cursor == 0
        assert cursor_is_whole(shown)


async def test_the_row_that_follows_a_deleted_one_is_in_view(own_home: Path, store: Store) -> None:
    async with fifteen_sessions(store) as (pilot, shown):
        await pilot.press("end", "up", "x")
        await pilot.pause()
        await pilot.press("y")
        await until(pilot, lambda: shown.block_count() == 14)
        await resize(pilot, shown, SMALL)
        assert cursor_is_whole(shown)
