"""The native emulator behind the same protocol shows what ours shows and is equally sanitized."""

from __future__ import annotations

import sys
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from sandbox_tui.core.terminal import ghostty
from sandbox_tui.core.terminal.base import Terminal
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.search import Search
from sandbox_tui.tui.terminal_io import emulator_backend as terminal_engine
from sandbox_tui.tui.widgets.terminal.view import TerminalView
from tests.examples import examples
from tests.perf.corpora import CORPORA, Make, cjk_emoji, corpus
from tests.terminal_oracles import installed

here = pytest.mark.skipif(not installed("ghostty"), reason="sandbox-tui[native] is not installed")


def fed(screen: Terminal, data: bytes, size: int = 4096) -> Terminal:
    for at in range(0, len(data), size):
        screen.feed(data[at : at + size])
    return screen


LOOKS = st.sampled_from(
    [
        b"\x1b[7m",
        b"\x1b[4m",
        b"\x1b[m",
        b"\x1b[44m",
        b"X",
        b"  ",
        b"\x1b[3C",
        b"\x1b[K",
        b"\x1b[9;2H",
        b"Y",
    ]
)


@here
@examples(80)
@given(st.lists(LOOKS, max_size=20))
def test_blanks_look_as_in_the_built_in_emulator(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    ours, theirs = fed(Screen(20, 3), data), fed(ghostty.NativeScreen(20, 3), data)
    for index in range(3):
        assert theirs.row(index) == ours.row(index)


@here
def test_it_is_healthy() -> None:
    assert ghostty.healthy()


@here
@pytest.mark.parametrize(
    "make",
    [make for make in CORPORA if make is not cjk_emoji],  # ghostty widens some of its emoji
    ids=lambda make: make.__name__,
)
def test_it_shows_what_the_built_in_emulator_shows(make: Make) -> None:
    data = corpus(make, 30_000)
    ours, theirs = fed(Screen(120, 40), data), fed(ghostty.NativeScreen(120, 40), data)
    total = ours.history_size + ours.lines
    assert theirs.history_size == ours.history_size
    for index in range(total):
        assert theirs.row(index) == ours.row(index)
    assert (theirs.x, theirs.y, theirs.in_alternate) == (ours.x, ours.y, ours.in_alternate)


PIECES = [
    *(b"line\r\n" * 9, b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[2;4r\x1b[4H\n\n\n", b"\x1b[r", b"\x1b[H"),
    *("漢字\u202e\u200b".encode(), b"\x1b]0;\x01title\x07", b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"),
    *(b"\x1b_Gf=32,t=f,a=T;L2V0Yy9wYXNzd2Q=\x1b\\", b"\x1b[6n", b"\x1b[3J", b"\x1b[?2027h", b"\xff\x00"),
]  # fmt: skip


@here
@examples(40)
@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=40), max_size=20))
def test_any_output_is_sanitized_and_its_lines_counted(pieces: list[bytes]) -> None:
    screen = ghostty.NativeScreen(20, 5)
    for piece in pieces:
        screen.feed(piece)
        screen.resize(20 + len(piece) % 3, 5)
        assert screen.scrolled >= screen.history_size
        assert 0 <= screen.y < screen.lines
    for index in range(screen.history_size + screen.lines):
        for text, _ in screen.row(index):
            assert not set(text) & set("\u202e\u200b\x1b\x07\x00\x9b"), text
        assert "\x1b" not in screen.text(index)
    assert len(screen.replies()) <= ghostty.MAX_REPLY_BYTES


@here
def test_lines_are_counted_and_found_beyond_its_scrollback() -> None:
    with patch.object(ghostty, "SCROLLBACK", 1000):
        screen = ghostty.NativeScreen(40, 5)
    ours = Screen(40, 5)
    for number in range(5000):
        line = b"line %d of \x1b[1mmany\x1b[m words\r\n" % number
        screen.feed(line)
        ours.feed(line)
    assert screen.scrolled == ours.scrolled
    assert screen.history_size < 2000
    search = Search("line 4990 ")
    while search.advance(screen, 500):
        pass
    assert [hit.line for hit in search.hits(screen)] == [4990]
    assert len(list(screen.find("LINE 4990 "))) == 1


@here
async def test_the_widget_shows_it() -> None:
    class Shown(App[None]):
        def compose(self) -> ComposeResult:
            yield TerminalView(ghostty.NativeScreen(40, 10), fit=False)

    app = Shown()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.query_one(TerminalView)
        view.feed(b"\x1b[31mred\x1b[m\r\n" * 30 + b"the end")
        await view.drain()
        while view.emulator.history_size < 21:
            await pilot.pause()
        await pilot.pause()
        lines = ["".join(segment.text for segment in view.render_line(y)) for y in range(20)]
        assert any("the end" in line for line in lines)
        assert any("red" in line for line in lines)


def test_without_it_the_built_in_emulator_is_used() -> None:
    ghostty.healthy.cache_clear()
    try:
        with patch.dict(sys.modules, {"pyghostty": None, "pyghostty.core": None}):
            terminal_engine.prepare("native")
            assert isinstance(terminal_engine.live_terminal(20, 5), Screen)
    finally:
        ghostty.healthy.cache_clear()
        terminal_engine.prepare("own")


@here
def test_it_is_used_if_configured() -> None:
    try:
        terminal_engine.prepare("native")
        assert isinstance(terminal_engine.live_terminal(20, 5), ghostty.NativeScreen)
    finally:
        terminal_engine.prepare("own")
    assert isinstance(terminal_engine.live_terminal(20, 5), Screen)
