"""Lines that are longer than the view are wrapped: recorded ones, and those of a live terminal that
has become narrower."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sandbox_tui.core.terminal.mirror import _RESET
from sandbox_tui.tui.widgets.terminal.shown_rows import row_starts
from tests.screens.widgets.test_terminal_view import Demo

SIZE = (40, 15)
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "M", "Z"]), max_size=90)


@given(TEXT, st.integers(2, 40))
def test_rows_hold_the_whole_line_and_no_row_is_too_long(text: str, width: int) -> None:
    starts = row_starts(text, width)
    cells = cell_len(text)
    ends = [*starts[1:], max(cells, starts[-1])]
    assert starts[0] == 0
    assert all(0 <= end - start <= width for start, end in zip(starts, ends, strict=True))
    edges = {0}
    for at in range(len(text)):
        edges.add(cell_len(text[: at + 1]))
    assert set(starts) <= edges, "a wide character is cut"


def line(number: int) -> str:
    """Return a line of 1 to 75 characters that ends with its number."""
    return "x" * (number * 7 % 72) + f"{number:03}"


async def with_history(app: Demo, pilot: Any, lines: int) -> None:
    app.view.feed("\r\n".join(line(n) for n in range(lines)).encode())
    await app.settle(pilot)
    app.view.focus()


def shown(app: Demo) -> str:
    return "".join(app.lines())


async def test_the_end_is_shown_whole() -> None:
    app = Demo(fit=False)
    async with app.run_test(size=SIZE) as pilot:
        await with_history(app, pilot, 200)
        rows = app.lines()
        assert "".join(rows).endswith(line(199))
        assert all(cell_len(row) <= app.view.visible_columns for row in rows)
        assert app.view.max_scroll_x == 0
        app.view.feed(("\r\n" + line(72)).encode())
        await app.settle(pilot)
        assert shown(app).endswith(line(72))


@pytest.mark.parametrize("key", ["pageup", "up"])
async def test_every_line_can_be_reached(key: str) -> None:
    app = Demo(fit=False)
    back = {"pageup": "pagedown", "up": "down"}[key]
    async with app.run_test(size=SIZE) as pilot:
        await with_history(app, pilot, 60)
        for pressed in (key, back):
            seen = shown(app)
            for _ in range(70):
                await pilot.press(pressed)
                await pilot.pause()
                seen += shown(app)
            missing = [n for n in range(60) if line(n) not in seen]
            assert missing == []
        assert app.view.following


async def test_a_match_in_a_wrapped_line_is_brought_into_view() -> None:
    app = Demo(fit=False)
    async with app.run_test(size=SIZE) as pilot:
        await with_history(app, pilot, 200)
        for number in range(3, 200, 19):
            app.view.search.start(f"{number:03}")
            await app.settle(pilot)
            assert line(number) in shown(app)
            app.view.search.end()


async def test_a_word_is_selected_over_the_break() -> None:
    app = Demo(fit=False)
    async with app.run_test(size=SIZE) as pilot:
        app.view.feed(b"first " + b"y" * 60 + b" last")
        await app.settle(pilot)
        assert app.lines()[1].startswith("yyy")
        assert await pilot.double_click(app.view, offset=(3, 1))
        await pilot.pause()
        assert app.view.text_selection is not None
        selected = app.view.get_selection(app.view.text_selection)
        assert selected is not None
        assert selected[0] == "y" * 60


async def test_a_full_screen_program_is_not_wrapped() -> None:
    app = Demo(fit=False)
    async with app.run_test(size=SIZE) as pilot:
        app.view.feed(b"\x1b[?1049h\x1b[H" + b"z" * 70 + b"\r\nbelow")
        await app.settle(pilot)
        assert app.lines()[1] == "below"
        app.view.feed(b"\x1b[?1049l\x1b[H" + b"z" * 70 + b"\r\nbelow")
        await app.settle(pilot)
        assert app.lines()[1].startswith("zz")
        assert app.lines()[2] == "below"


async def test_a_wider_screen_needs_no_breaks() -> None:
    app = Demo(fit=False)
    async with app.run_test(size=SIZE) as pilot:
        await with_history(app, pilot, 200)
        await pilot.resize_terminal(120, 15)
        await app.settle(pilot)
        used = [row for row in app.lines() if row]
        assert used[-3:] == [line(n) for n in range(197, 200)]


async def test_a_live_terminal_that_becomes_narrower_loses_no_text() -> None:
    app = Demo(fit=True)
    async with app.run_test(size=(90, 15)) as pilot:
        await app.settle(pilot)
        await with_history(app, pilot, 60)
        await pilot.resize_terminal(40, 15)
        await app.settle(pilot)
        assert app.view.emulator.columns == app.view.visible_columns
        assert shown(app).endswith(line(59))
        seen = shown(app)
        for _ in range(70):
            await pilot.press("pageup")
            await pilot.pause()
            seen += shown(app)
        assert [n for n in range(60) if line(n) not in seen] == []
        await pilot.press("end")
        app.view.feed(("\r\n" + line(71)).encode())
        await app.settle(pilot)
        assert shown(app).endswith(line(71))
        assert app.view.why_not_sideways(1)
        assert app.view.why_not_sideways(-1)


async def test_a_line_is_broken_once_however_often_the_screen_changes() -> None:
    app = Demo()
    async with app.run_test(size=(60, 15)) as pilot:
        await app.settle(pilot)
        words = "\x1b[1m" + "x" * 75 + "END"
        app.view.feed(_RESET + words.encode())
        for width in (50, 30, 44):
            await pilot.resize_terminal(width, 15)
            await app.settle(pilot)
            columns = app.view.emulator.columns
            rows = [row for row in app.lines() if row]
            assert "".join(rows).endswith("xEND")
            assert len(rows) == -(-78 // columns)
