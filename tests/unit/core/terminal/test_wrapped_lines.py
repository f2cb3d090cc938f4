"""Resizing: a line that wraps is one line, which is joined again when the screen becomes wider."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sandbox_tui.core.terminal.base import Terminal
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.ghostty import NativeScreen
from tests.examples import examples
from tests.terminal_oracles import installed

COLUMNS = 20


def screen_of(data: bytes, columns: int = COLUMNS, lines: int = 8) -> Screen:
    screen = Screen(columns, lines)
    screen.feed(data)
    return screen


def shown(screen: Screen) -> list[str]:
    """The lines on the screen down to the last one with text."""
    above = screen.history_size
    rows = [screen.text(above + y) for y in range(screen.lines)]
    while rows and not rows[-1]:
        rows.pop()
    return rows


PRINTED = st.lists(
    st.tuples(
        st.sampled_from(["", "\x1b[31m", "\x1b[0;1m"]),
        st.text("ab c日é", max_size=90),
    ),
    min_size=1,
    max_size=4,
)


def bytes_of(lines: list[tuple[str, str]]) -> bytes:
    """Return output; only the last line, where the cursor is, ends with blanks."""
    *above, (style, text) = lines
    ended = [style + text.rstrip(" ") for style, text in above]
    return "\r\n".join([*ended, style + text]).encode()


@examples(200)
@given(PRINTED, st.lists(st.integers(2, 60), max_size=4))
def test_any_widths_in_between_leave_no_trace(
    lines: list[tuple[str, str]], widths: list[int]
) -> None:
    """On a screen with enough lines, its text is the same as if it had always had this size."""
    screen = screen_of(bytes_of(lines), lines=400)
    expected = screen_of(bytes_of(lines), lines=400)
    for width in widths:
        screen.resize(width, 400)
    screen.resize(COLUMNS, 400)
    assert shown(screen) == shown(expected)
    assert (screen.x, screen.y) == (expected.x, expected.y)
    screen.feed(b"!?")
    expected.feed(b"!?")
    assert shown(screen) == shown(expected)


@given(PRINTED, st.integers(2, 60))
def test_another_width_shows_what_it_would_have_shown(
    lines: list[tuple[str, str]], width: int
) -> None:
    screen = screen_of(bytes_of(lines), lines=400)
    screen.resize(width, 400)
    assert shown(screen) == shown(screen_of(bytes_of(lines), width, 400))


@given(PRINTED, st.integers(2, 60), st.integers(2, 12))
def test_a_restored_screen_joins_the_same_lines(
    lines: list[tuple[str, str]], width: int, height: int
) -> None:
    screen = screen_of(bytes_of(lines))
    copy = Screen(3, 3)
    copy.restore(screen.keyframe())
    for one in (screen, copy):
        one.resize(width, height)
    assert copy.keyframe() == screen.keyframe()


def test_lines_of_a_bulk_of_output_are_joined() -> None:
    """Whole lines take the fast path, and unbroken text is scrolled in together."""
    data = b"".join(b"%02d" % n * 16 + b"\r\n" for n in range(40))
    screen = screen_of(data)
    screen.resize(40, 8)
    assert shown(screen) == ["36" * 6, "37" * 16, "38" * 16, "39" * 16]
    unbroken = screen_of(b"x" * 1010, lines=8)
    unbroken.resize(50, 8)
    assert shown(unbroken) == ["x" * 50] * 3


ENDS = {
    "erased": b"\x1b[A\x1b[10G\x1b[K",
    "line deleted": b"\x1b[M",
    "line inserted": b"\x1b[L",
    "character deleted": b"\x1b[A\x1b[P",
    "last column printed": b"\x1b[A\x1b[20GX",
    "cleared": b"\x1b[H\x1b[2J" + b"a" * 20 + b"\r\nb",
}


@pytest.mark.parametrize("name", ENDS)
def test_a_line_that_no_longer_wraps_is_not_joined(name: str) -> None:
    screen = screen_of(b"0123456789" * 3 + ENDS[name] + b"\x1b[3;1Hnext")
    before = shown(screen)
    screen.resize(60, 8)
    assert shown(screen) == before


def test_below_a_full_screen_program_the_main_screen_is_joined() -> None:
    screen = screen_of(b"0123456789" * 3 + b"\x1b[?1049h\x1b[Hbar")
    screen.resize(40, 8)
    assert shown(screen) == ["bar"]
    screen.feed(b"\x1b[?1049l!")
    assert shown(screen) == ["0123456789" * 3 + "!"]


def whole_lines(screen: Terminal) -> list[str]:
    """The lines in scrollback and on the screen, each joined from the rows that it fills."""
    lines, line = list[str](), ""
    for index in range(screen.history_size + screen.lines):
        text, cells = screen.text(index), screen.continues(index)
        line += text + " " * (cells - cell_len(text))
        if not cells:
            lines.append(line.rstrip(" "))
            line = ""
    while lines and not lines[-1]:
        lines.pop()
    return lines


@examples(200)
@given(PRINTED, st.integers(2, 60), st.integers(2, 6), st.booleans(), st.integers(1, 4))
def test_rows_of_one_line_are_known_even_in_scrollback(
    lines: list[tuple[str, str]], columns: int, rows: int, is_fast: bool, times: int
) -> None:
    data, screen = bytes_of(lines * times), Screen(columns, rows)
    screen.is_fast = is_fast
    screen.feed(data + b"\r\n")
    again = Screen(1, 1)
    again.restore(screen.keyframe())
    expected = [text.rstrip(" ") for _, text in lines * times]
    while expected and not expected[-1]:
        expected.pop()
    assert whole_lines(screen) == whole_lines(again) == expected


def test_a_flood_without_line_ends_is_one_line() -> None:
    screen = Screen(10, 4)
    screen.feed(b"0123456789" * 100 + b"\r\nnext")
    assert whole_lines(screen) == ["0123456789" * 100, "next"]


def test_the_native_emulator_knows_the_rows_of_one_line() -> None:
    if not installed("ghostty"):
        pytest.skip("sandbox-tui[native] is not installed")
    screen = NativeScreen(10, 3)
    screen.feed(("abcdefghij" * 3 + "xyz\r\n" + "a" * 9 + "漢字\r\nfull 10 ch\r\nend").encode())
    assert whole_lines(screen) == ["abcdefghij" * 3 + "xyz", "a" * 9 + "漢字", "full 10 ch", "end"]
