"""Conformance with the DEC and xterm manuals: protection, pending wrap, graphics, columns."""

from __future__ import annotations

import pytest

from sandbox_tui.core.terminal.emulator.screen import Screen
from tests.terminal_oracles import cut, display_of

PROTECT, RELEASE = b'\x1b[1"q', b'\x1b[2"q'
FULL = b"x" * 10
"""Fills a row, so that the next character wraps."""


def screen_of(data: bytes, columns: int = 10, lines: int = 4) -> Screen:
    screen = Screen(columns, lines)
    screen.feed(data)
    return screen


def shown(data: bytes) -> list[str]:
    return cut(display_of(screen_of(data)))


SELECTIVE = {
    "DECSEL leaves what is protected": (b"A" + PROTECT + b"B" + RELEASE + b"C\x1b[?2K", " B"),
    "0 releases as 2 does": (PROTECT + b'A\x1b["qB\x1b[?2K', "A"),
    "DECSEL from the cursor on": (b"A" + PROTECT + b"B" + RELEASE + b"CD\x1b[1;1H\x1b[?K", " B"),
    "DECSEL up to the cursor": (b"AB" + PROTECT + b"C" + RELEASE + b"D\x1b[1;3H\x1b[?1K", "  CD"),
    "DECSED below the cursor": (b"\r\nA" + PROTECT + b"B\x1b[H\x1b[?J", ""),
    "EL erases it too": (PROTECT + b"AB\x1b[2K", ""),
    "ED erases it too": (PROTECT + b"AB\x1b[2J", ""),
    "ECH erases it too": (PROTECT + b"AB\x1b[H\x1b[2X", ""),
    "SGR does not change it": (PROTECT + b"\x1b[m\x1b[31;0mA\x1b[?2K", "A"),
    "DECSC saves it": (PROTECT + b"\x1b7" + RELEASE + b"\x1b8A" + RELEASE + b"B\x1b[?2K", "A"),
    "DECSTR ends it": (PROTECT + b"\x1b[!pA\x1b[?2K", ""),
    "RIS ends it": (PROTECT + b"\x1bcA\x1b[?2K", ""),
    "a full row keeps it": (PROTECT + FULL + b"\x1b[?2K", "x" * 10),
    "long text keeps it": (PROTECT + b"y" * 10 * 9 + b"\x1b[H\x1b[?J", "y" * 10),
    "lines keep it": (PROTECT + b"\x1b[4Hy\r\n" * 9 + b"\x1b[H\x1b[?J", "y"),
    "wide characters keep it": (PROTECT + "漢".encode() + RELEASE + "字\x1b[?2K".encode(), "漢"),
    "moved cells keep it": (PROTECT + b"A" + RELEASE + b"B\x1b[H\x1b[2@\x1b[?2K", "  A"),
    "printing over it ends it": (PROTECT + b"A" + RELEASE + b"\rB\x1b[?2K", ""),
}


@pytest.mark.parametrize(("data", "row"), SELECTIVE.values(), ids=SELECTIVE)
def test_selective_erasing(data: bytes, row: str) -> None:
    assert shown(data)[0] == row


def test_selective_erasing_blanks_in_the_current_background() -> None:
    screen = screen_of(PROTECT + b"A" + RELEASE + b"B\x1b[41m\x1b[?2K")
    looks = [(text, attributes.bg) for text, attributes in screen.row(0)]
    assert looks == [("A", "default"), (" " * 9, "red")]


def test_a_keyframe_remembers_what_is_protected() -> None:
    before = screen_of(b"A" + PROTECT + b"B")
    after = Screen(1, 1)
    after.restore(before.keyframe())
    after.feed(b"C" + RELEASE + b"D\x1b[?2K")
    assert cut(display_of(after))[0] == " BC"


WRAP = {
    "EL erases nothing right of the last column": (b"\x1b[K", [FULL.decode(), "b"]),
    "ED erases nothing right of it either": (b"\x1b[J", [FULL.decode(), "b"]),
    "DECSEL does neither": (b"\x1b[?K", [FULL.decode(), "b"]),
    "EL up to the cursor takes the row": (b"\x1b[1K", ["", "b"]),
    "ICH returns to the last column": (b"\x1b[@", ["x" * 9 + "b", ""]),
    "DCH returns to the last column": (b"\x1b[P", ["x" * 9 + "b", ""]),
}


@pytest.mark.parametrize(("data", "rows"), WRAP.values(), ids=WRAP)
def test_a_cursor_that_is_about_to_wrap(data: bytes, rows: list[str]) -> None:
    assert shown(FULL + data + b"b")[:2] == rows


def test_graphics_are_those_of_dec() -> None:
    screen = screen_of(b"\x1b(0" + bytes(range(32, 127)), columns=95)
    row = display_of(screen)[0]
    assert row[:63] == bytes(range(32, 95)).decode()
    assert row[63:] == " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"


def test_a_change_of_columns_clears_screen_and_margins() -> None:
    for change in (b"\x1b[?3h", b"\x1b[?3h\x1b[HCD\x1b[2;3r\x1b[3;3H\x1b[?3l"):
        screen = screen_of(b"AB\x1b[2;3r\x1b[3;3H" + change)
        assert not "".join(cut(display_of(screen)))
        assert (screen.x, screen.y, screen.top, screen.bottom) == (0, 0, 0, 3)
        assert screen.columns == 10


def test_initialising_an_xterm_clears_nothing() -> None:
    assert shown(b"AB\x1b[!p\x1b[?3;4l\x1b[4l\x1b>")[0] == "AB"
