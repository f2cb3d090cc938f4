"""The terminal widget: scrolling, selection, keys, and nothing hostile on the screen."""

from __future__ import annotations

import asyncio
import string
from typing import Any, ClassVar

import pytest
from rich.cells import cell_len
from textual import events
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.geometry import Region
from textual.widgets import Input

from sandbox_tui.core.terminal.emulator.screen import Screen as Emulator
from sandbox_tui.tui.textual_support.private_api import (
    character_to_key,
    keep_alt_of_punctuation,
)
from sandbox_tui.tui.widgets.terminal.input.input_bytes import RELEASE, bytes_of_key
from sandbox_tui.tui.widgets.terminal.input.paste_encoding import bytes_of_paste
from sandbox_tui.tui.widgets.terminal.view import TerminalView


class Demo(App[None]):
    BINDINGS: ClassVar[list[Any]] = [
        Binding("q", "note('q')"),
        Binding("ctrl+q", "note('quit')", priority=True),
    ]

    def __init__(self, fit: bool = True, history: int = 100_000) -> None:
        super().__init__()
        self.view = TerminalView(Emulator(80, 24, history), fit=fit)
        self.typed: list[bytes] = []
        self.sizes: list[tuple[int, int]] = []
        self.notes: list[str] = []
        self.released = 0

    def compose(self) -> ComposeResult:
        yield self.view
        yield Input()

    def action_note(self, text: str) -> None:
        self.notes.append(text)

    def on_terminal_view_typed(self, event: TerminalView.Typed) -> None:
        self.typed.append(event.data)

    def on_terminal_view_resized(self, event: TerminalView.Resized) -> None:
        self.sizes.append((event.columns, event.rows))

    def on_terminal_view_released(self) -> None:
        self.released += 1

    async def settle(self, pilot: Any) -> None:
        """Wait until the size has been reported and all output drawn."""
        for _ in range(200):
            await pilot.pause(0.02)
            if not self.view._pump.waiting and self.view._frame is None:
                break
        await pilot.pause(0.1)

    def lines(self) -> list[str]:
        height = self.view.scrollable_content_region.height
        return [self.view.render_line(y).text.rstrip() for y in range(height)]


async def test_it_takes_the_size_of_its_place_and_says_so() -> None:
    app = Demo()
    async with app.run_test(size=(60, 20)) as pilot:
        await app.settle(pilot)
        width, height = app.view.scrollable_content_region.size
        assert app.sizes == [(width, height)]
        await pilot.resize_terminal(90, 30)
        await app.settle(pilot)
        assert (app.view.emulator.columns, app.view.emulator.lines) == app.sizes[-1]
        assert len(app.sizes) == 2


async def test_a_recording_keeps_its_size_and_can_be_scrolled_sideways() -> None:
    app = Demo(fit=False)
    async with app.run_test(size=(40, 15)) as pilot:
        app.view.feed(b"\x1b[H" + b"0123456789" * 8)
        await app.settle(pilot)
        assert app.view.emulator.columns == 80
        app.view.scroll_sideways(1)
        await pilot.pause()
        app.view.scroll_to(x=30, y=0, animate=False)
        await pilot.pause()
        assert app.lines()[0].startswith("0123456789" * 3)
        assert app.view.max_scroll_x >= 40
        assert not app.sizes


async def test_the_empty_rows_of_a_screen_taller_than_the_view_are_not_followed() -> None:
    app = Demo(fit=False)
    async with app.run_test(size=(60, 15)) as pilot:
        app.view.feed(b"first\r\nsecond\r\n")
        await app.settle(pilot)
        assert app.lines()[:2] == ["first", "second"]
        app.view.feed(b"".join(b"line %d\r\n" % n for n in range(18)))
        await app.settle(pilot)
        assert app.lines()[-2:] == ["line 17", ""]
        app.view.feed(b"\x1b[2J\x1b[Hcleared\r\n")
        await app.settle(pilot)
        assert app.lines()[0] == "cleared"
        assert app.view.following
        app.view.feed(b"\x1b[24Hat the bottom\x1b[2Hcursor")
        await app.settle(pilot)
        assert app.lines()[-1] == "at the bottom"


async def test_it_follows_until_one_scrolls_up_and_follows_again() -> None:
    app = Demo(history=500)
    async with app.run_test(size=(60, 20)) as pilot:
        await app.settle(pilot)
        app.view.feed(b"".join(b"line %d\r\n" % n for n in range(300)))
        await app.settle(pilot)
        assert "line 299" in app.lines()
        app.view.scroll_to(y=100, animate=False, immediate=True)
        await pilot.pause()
        assert not app.view.following
        assert app.view.border_subtitle == "↓ new"
        before = app.lines()
        app.view.feed(b"".join(b"line %d\r\n" % n for n in range(300, 400)))
        await app.settle(pilot)
        assert app.lines() == before
        # the history is full from here: old lines are dropped, the lines in view stay
        app.view.feed(b"".join(b"line %d\r\n" % n for n in range(400, 560)))
        await app.settle(pilot)
        assert app.view.emulator.history_size == 500
        assert app.lines() == before
        app.view.action_scroll_end()
        await app.settle(pilot)
        assert app.view.following
        assert "line 559" in app.lines()
        assert app.view.border_subtitle == ""


async def test_another_terminal_is_shown_at_once() -> None:
    app = Demo(fit=False)
    async with app.run_test(size=(60, 20)) as pilot:
        await app.settle(pilot)
        app.view.feed(b"old\r\n" * 3)
        other = Emulator(80, 24)
        other.feed(b"new\r\n" * 100)
        app.view.show(other)
        assert "new" in app.lines()
        await app.settle(pilot)
        assert "old" not in app.lines()


async def test_a_drag_selects_text_and_copies_it() -> None:
    app = Demo()
    async with app.run_test(size=(60, 20)) as pilot:
        await app.settle(pilot)
        app.view.feed("first line\r\n漢字 second\r\nthird\r\n".encode())
        await app.settle(pilot)
        await pilot.mouse_down(app.view, offset=(6, 0))
        await pilot.hover(app.view, offset=(9, 1))
        await pilot.mouse_up(app.view, offset=(9, 1))
        await pilot.pause()
        assert app.screen.get_selected_text() == "line\n漢字 secon"
        app.view.feed(b"more\r\n" * 100)  # the selection stays on its text
        await app.settle(pilot)
        assert app.screen.get_selected_text() == "line\n漢字 secon"


async def test_a_line_that_fills_several_rows_is_copied_and_selected_as_one() -> None:
    app = Demo()
    async with app.run_test(size=(60, 20)) as pilot:
        await app.settle(pilot)
        columns = app.view.emulator.columns
        path = "/data/" + "long-name/" * 12 + "end.txt"
        app.view.feed(b"before\r\ncat %s now\r\nafter\r\n" % path.encode())
        await app.settle(pilot)
        await pilot.mouse_down(app.view, offset=(0, 0))
        await pilot.hover(app.view, offset=(4, 4))
        await pilot.mouse_up(app.view, offset=(4, 4))
        await pilot.pause()
        assert len(path) > 2 * columns
        assert app.screen.get_selected_text() == f"before\ncat {path} now\nafter"
        await pilot.double_click(app.view, offset=(5, 2))
        assert app.screen.get_selected_text() == path
        await pilot.click(app.view, offset=(5, 2), times=3)
        assert app.screen.get_selected_text() == f"cat {path} now"
        app.view.feed(b"more\r\n" * 100)  # the line is in scrollback now
        await app.settle(pilot)
        assert app.screen.get_selected_text() == f"cat {path} now"


async def test_while_attached_every_key_goes_in_until_the_release_chord() -> None:
    app = Demo()
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.focus()
        await pilot.press("q")
        assert app.notes == ["q"]
        app.view.attached = True
        await pilot.press("q", "tab", "escape", "ctrl+q", "ctrl+p", "ctrl+c", "up", "shift+tab")
        assert b"".join(app.typed) == b"q\t\x1b\x11\x10\x03\x1b[A\x1b[Z"
        assert app.notes == ["q"]
        assert app.focused is app.view
        app.typed.clear()
        await pilot.press(RELEASE, RELEASE)  # pressed twice, the chord is sent
        assert (app.typed, app.view.attached) == ([b"\x1d"], True)
        await pilot.press(RELEASE)
        await pilot.pause(0.6)
        assert (app.view.attached, app.released) == (False, 1)
        app.view.attached = True
        # another key right after the chord already acts outside the terminal
        await pilot.press(RELEASE, "ctrl+q")
        await pilot.pause()
        assert not app.view.attached or app.notes == ["q", "quit"]
        assert app.notes == ["q", "quit"]


async def test_pastes_questions_and_focus() -> None:
    app = Demo()
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.focus()
        app.view.attached = True
        await app.settle(pilot)
        app.view.feed(b"\x1b[?2004h\x1b[6n\x1b[?1004h")
        await app.settle(pilot)
        assert app.typed == [b"\x1b[1;1R"]
        app.typed.clear()
        app.view.post_message(events.Paste("a\nb\x1b[201~c\x07"))
        await pilot.pause()
        assert app.typed == [b"\x1b[200~a\rbc\x1b[201~"]
        app.typed.clear()
        app.query_one(Input).focus()
        await pilot.pause()
        assert app.typed == [b"\x1b[O"]


async def test_the_mouse_goes_to_programs_that_ask() -> None:
    app = Demo()
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.attached = True
        app.view.feed(b"\x1b[?1049h\x1b[?1002h\x1b[?1006h")
        await app.settle(pilot)
        assert not app.view.allow_select
        await pilot.mouse_down(app.view, offset=(3, 2))
        await pilot.hover(app.view, offset=(5, 2))
        await pilot.mouse_up(app.view, offset=(5, 2))
        assert app.typed == [b"\x1b[<0;4;3M", b"\x1b[<32;6;3M", b"\x1b[<0;6;3m"]
        app.typed.clear()
        app.view.feed(b"\x1b[?1002l\x1b[?1h")
        await app.settle(pilot)
        app.view._mouse.wheel(_scroll(app.view), "up")
        await pilot.pause()
        assert app.typed == [b"\x1bOA" * 3]


def _scroll(view: TerminalView) -> events.MouseScrollUp:
    return events.MouseScrollUp(view, 1, 1, 0, 0, 0, False, False, False)


@pytest.mark.parametrize(
    ("key", "modes", "data"),
    [
        ("up", set(), b"\x1b[A"),
        ("up", {1}, b"\x1bOA"),
        ("ctrl+right", {1}, b"\x1b[1;5C"),
        ("shift+f5", set(), b"\x1b[15;2~"),
        ("f1", set(), b"\x1bOP"),
        ("alt+x", set(), b"\x1bx"),
        ("alt+enter", set(), b"\x1b\r"),
        ("ctrl+a", set(), b"\x01"),
        ("delete", set(), b"\x1b[3~"),
        ("shift+enter", set(), b"\r"),
        ("shift+backspace", set(), b"\x7f"),
        ("ctrl+enter", set(), b"\r"),
        ("shift+tab", set(), b"\x1b[Z"),
        ("alt+space", set(), b"\x1b "),
        ("alt+shift+backspace", set(), b"\x1b\x7f"),
        ("ctrl+backslash", set(), b"\x1c"),
    ],
)
def test_keys_as_bytes(key: str, modes: set[int], data: bytes) -> None:
    assert bytes_of_key(events.Key(key, None), modes) == data


@pytest.mark.parametrize("character", [*string.punctuation, *string.digits, "é", "B"])
def test_alt_with_a_character_reaches_the_program(character: str) -> None:
    keep_alt_of_punctuation()
    parser = XTermParser()
    for _ in range(2):  # a held key repeats
        pressed = [*parser.feed(f"\x1b{character}")]
        if parser._timeout_time is not None:
            parser._timeout_time = 0.0  # as if no more came
        pressed += parser.tick()
        keys = [key for key in pressed if isinstance(key, events.Key)]
        data = b"".join(bytes_of_key(key, set()) for key in keys)
        assert data == f"\x1b{character}".encode()


@pytest.mark.parametrize(
    ("key", "data"),
    [
        *((f"alt+{character_to_key(each)}", f"\x1b{each}") for each in string.punctuation),
        ("alt+shift+b", "\x1bB"),
        ("alt+shift+full_stop", "\x1b>"),
    ],
)
def test_alt_in_the_kitty_protocol_has_no_text(key: str, data: str) -> None:
    assert bytes_of_key(events.Key(key, None), set()) == data.encode()


def test_a_paste_cannot_type_control_characters() -> None:
    assert bytes_of_paste("a\x1b[20\x1b[201~1~\x03b", {2004}) == b"\x1b[200~a[201~b\x1b[201~"
    assert bytes_of_paste("a\r\nb\x1b", set()) == b"a\rb"


HOSTILE = (
    "\x9b31m\x1b]0;title\x07\x1b]52;c;aGk=\x07\x1bP1;2q\x1b\\a\u202eb\u2066c\u200bd\U000e0041e\x85"
    "\ufffe👩‍💻|❤️|👍🏽|🇯🇵|e\u0301|\u1100\u1161|\x7f|\x00\r\n"
)


async def test_nothing_but_text_reaches_the_screen_and_columns_hold() -> None:
    app = Demo()
    async with app.run_test(size=(60, 20)) as pilot:
        await app.settle(pilot)
        app.view.feed(HOSTILE.encode() * 30)
        await app.settle(pilot)
        for line in range(app.view.emulator.history_size):
            app.view.jump_to(line)
            for y in range(3):
                (strip,) = app.view.render_lines(Region(0, y, app.view.size.width, 1))
                assert strip.text.isprintable()
                assert not set(strip.text) & set("\u202e\u2066\u200b\u200d\ufe0f\U000e0041")
                assert sum(cell_len(s.text) for s in strip) == strip.cell_length
                assert strip.cell_length == app.view.size.width


async def test_a_held_frame_is_shown_after_a_while() -> None:
    app = Demo()
    async with app.run_test(size=(60, 20)) as pilot:
        await app.settle(pilot)
        app.view.feed(b"\x1b[?2026hhalf")
        for _ in range(4):
            await pilot.pause(0.01)
        await pilot.pause(0.4)
        assert "half" in app.lines()[0]


async def test_a_flood_blocks_its_producer_but_not_the_keys() -> None:
    app = Demo()
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.focus()
        app.view.attached = True
        await app.settle(pilot)
        flood = b"\x1b[31mred\x1b[0m and \x1b[Kplain\r\n" * 60_000  # 1.6 MB
        app.view.feed(flood)
        drained = asyncio.create_task(app.view.drain())
        while not drained.done():
            app.view.post_message(events.Key("x", "x"))
            for _ in range(20):
                await asyncio.sleep(0)
        assert len(app.typed) > 1, "they are answered while the flood is still coming in"
        app.view._pump.clear()
