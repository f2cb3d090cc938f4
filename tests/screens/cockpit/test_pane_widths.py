"""The panes of a replay make room for a recorded terminal that is wider than its pane."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.screens.cockpit.pane_widths import (
    FRAME_COLUMNS,
    MIN_CALLS,
    MIN_SIDE,
    Widths,
    widths_beside,
)
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from tests.screens.cockpit.test_replay_screen import at, replayed
from tests.unit.event_streams import started
from tests.waiting import until


@given(st.integers(90, 400), st.integers(1, 400), st.booleans())
def test_the_terminal_fits_and_the_other_panes_stay_readable(
    screen: int, terminal: int, three: bool
) -> None:
    widths = widths_beside(screen, terminal, three=three)
    if widths == Widths():
        return
    assert widths.calls is not None
    assert widths.calls >= MIN_CALLS
    assert (widths.side is not None) == three
    assert three is False or (widths.side or 0) >= MIN_SIDE
    assert screen - widths.calls - (widths.side or 0) == terminal + FRAME_COLUMNS


def recorded(path: Path, columns: int, *lines: int) -> int:
    """Record a terminal that shows lines of these lengths, one event each; return the last one."""
    events = [
        started(),
        e.TerminalOpened(seq=2, t=0.1, terminal="model", cols=columns, rows=30),
        *(
            e.TerminalOutput(seq=3 + n, t=1.0 + n, terminal="model", data=b"x" * length + b"\r\n")
            for n, length in enumerate(lines)
        ),
    ]
    with contextlib.closing(Store(path)) as store:
        store.append("r", events)
    return events[-1].seq


def widths_of(screen: ReplayScreen) -> list[int]:
    return [screen.query_one(f"#{name}").size.width for name in ("calls", "terminals", "side")]


@pytest.mark.parametrize("columns", [160, 100])
async def test_a_long_line_is_shown_whole(tmp_path: Path, columns: int) -> None:
    natural = {160: 60, 100: 55}[columns]
    recorded_columns = natural + 5
    last = recorded(tmp_path / "s.db", recorded_columns, natural, recorded_columns)
    async with replayed(tmp_path / "s.db", (columns, 40)) as (screen, pilot):
        view = screen.query_one(TerminalPane).view
        screen.seek(last - 1)
        await at(screen, pilot, last - 1)
        before = widths_of(screen)
        assert view.is_wider
        screen.seek(last)
        await at(screen, pilot, last)
        await until(pilot, lambda: not view.is_wider)
        assert sum(widths_of(screen)) == sum(before)
        screen.seek(last - 1)
        await at(screen, pilot, last - 1)
        assert not view.is_wider, "the panes must not move back and forth"


async def test_zoom_and_a_narrow_screen_use_the_whole_width(tmp_path: Path) -> None:
    last = recorded(tmp_path / "s.db", 70, 70)
    async with replayed(tmp_path / "s.db", (160, 40)) as (screen, pilot):
        screen.seek(last)
        await at(screen, pilot, last)
        calls = screen.query_one("#calls")
        await until(pilot, lambda: calls.styles.inline.has_rule("width"))
        fitted = calls.outer_size.width
        await pilot.press("z")
        await until(pilot, lambda: calls.outer_size.width == 160)
        await pilot.press("z")
        await until(pilot, lambda: calls.outer_size.width == fitted)
        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: calls.outer_size.width == 60)
        await pilot.resize_terminal(160, 40)
        await until(pilot, lambda: calls.outer_size.width == fitted)


async def test_a_terminal_much_too_wide_leaves_the_other_panes_alone(tmp_path: Path) -> None:
    last = recorded(tmp_path / "s.db", 200, 200)
    async with replayed(tmp_path / "s.db", (160, 40)) as (screen, pilot):
        before = widths_of(screen)
        screen.seek(last)
        await at(screen, pilot, last)
        await until(pilot, lambda: screen._panes._needed.used == 200)
        assert widths_of(screen) == before
