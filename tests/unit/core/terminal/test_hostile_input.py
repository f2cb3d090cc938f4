"""The emulator under hostile input: linear time, no invisible characters, keyframes not trusted."""

from __future__ import annotations

import zlib
from typing import Any

import msgspec
import pytest
from hypothesis import example as for_example
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcwidth

from sandbox_tui.core.terminal.emulator.parser import MAX_STRING_CHARS
from sandbox_tui.core.terminal.emulator.rows import MAY_JOIN, NOT_ONE_WIDE, shown
from sandbox_tui.core.terminal.emulator.screen import Screen
from tests.cost import Work, assert_growth
from tests.examples import examples
from tests.terminal_oracles import display_of


def lines_of(screen: Screen) -> list[str]:
    return [screen.text(index) for index in range(screen.history_size + screen.lines)]


FLOODS = {
    "string without an end": (b"\x1b]2;" + b"x" * 40_000, 64),
    "string without an end, by bytes": (b"\x1bP" + b"x" * 4_000, 1),
    "sequence without an end": (b"\x1b[" + b"1;" * 10_000, 64),
    "escape after escape": (b"\x1b" * 40_000, 4096),
    "repeat": (b"x" + b"\x1b[9999b" * 2_000, 4096),
    "reset": (b"\x1bc" * 4_000, 4096),
    "clear": (b"\x1b[2J" * 4_000, 4096),
    "insert lines": (b"\x1b[9999L" * 2_000, 4096),
    "both screens": (b"\x1b[?1049h\x1b[?1049l" * 1_000, 4096),
    "now and then a long line": ((b"a" * 130 + b"\r\n" + b"short\r\n" * 3) * 400, 16_384),
    "now and then a wide line": (("漢" * 70 + "\r\n" + "short\r\n" * 3).encode() * 200, 16_384),
    "background left on": (b"\x1b[41mx\r\n\x1b[0my\r\n" * 2_000, 16_384),
    "colour without end": (b"".join(b"\x1b[38;5;%dmx" % (n % 256) for n in range(4_000)), 16_384),
    "many combining": (("e" + "\u0301" * 10_000).encode(), 16_384),
    "lone newlines": (b"\n" * 20_000, 16_384),
    "progress": (b"\r\x1b[2K\x1b[32m50%\x1b[0m" * 2_000, 16_384),
    "progress that never ends a line": (b"\r\x1b[2K" + b"\x1b[32mx" * 6_000, 16_384),
    "progress of nothing": (b"\r\x1b[2K" * 6_000, 16_384),
    "marks without letters": (("\u0301" * 14 + "\r\n").encode() * 400, 16_384),
    "colour after colour": (b"\x1b[1m" * 10_000, 16_384),
    "sequences of their own": (
        b"".join(b"\x1b[%d;%dH" % (n % 300, n) for n in range(4_000)),
        4096,
    ),
    "one line that never ends": (b"x" * 80_000, 16_384),
    "lines that do not fit": (b"\x1b[44mx\r\n" * 600, 16_384),
    "questions": (b"\x1b[6n" * 6_000, 16_384),
}


@pytest.mark.parametrize("name", FLOODS)
def test_time_is_linear(name: str) -> None:
    """Eight times the input takes about eight times as long; quadratic work would take 64 times."""
    data, piece = FLOODS[name]

    def feed(times: int) -> None:
        screen, flood = Screen(120, 40), data * times
        for at in range(0, len(flood), piece):
            screen.feed(flood[at : at + piece])

    assert_growth(feed, 1, 8, below=24)


def test_an_unterminated_string_gives_the_screen_back() -> None:
    screen = Screen(20, 5)
    screen.feed(b"\x1b]2;" + b"x" * (1 << 20) + b"\r\nback")
    assert "back" in screen.text(screen.history_size + screen.y)
    screen = Screen(20, 5)
    screen.feed(b"\x1bPq" + b"x" * 100_000 + b"\x1b[1mback")  # any sequence ends the string
    assert screen.text(0) == "back"


@pytest.mark.parametrize("over", [-1, 0, 1])
@pytest.mark.parametrize("end", [b"\x07", b"\x1b\\", b"\x1b[m", b"", b"\r\n"])
def test_the_longest_string_ends_where_it_does_however_it_is_cut(over: int, end: bytes) -> None:
    data = b"\x1b]0;" + b"x" * (MAX_STRING_CHARS - 2 + over) + end + b"yz"
    whole = Screen(20, 5)
    whole.feed(data)
    for cut in (3, 100, len(data) - len(end) - 4, len(data) - len(end) - 2, len(data) - 3):
        parts = Screen(20, 5)
        parts.feed(data[:cut])
        parts.feed(data[cut:])
        assert parts.keyframe() == whole.keyframe()


def test_answers_are_bounded() -> None:
    screen = Screen(20, 5)
    screen.feed(b"\x1b[6n" * 100_000)
    assert len(screen.replies()) < 1000
    assert screen.replies() == b""


UNSEEN = "\u202e\u2066\u200b\u200e\ufeff\u00ad\u2028\U000e0041\ufffe\U0001ffff\u115f\u3164"


@pytest.mark.parametrize("text", [f"a{char}b" for char in UNSEEN])
@pytest.mark.parametrize("rows", [1, 30])
def test_invisible_data_is_not_kept(text: str, rows: int) -> None:
    screen = Screen(20, 5)
    screen.feed(f"{text}\r\n".encode() * rows)
    assert set("".join(lines_of(screen))) <= set("ab�")


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_cells_hold_what_can_be_shown(text: str) -> None:
    screen = Screen(10, 4)
    screen.feed(text.encode() + b"\r\n")
    for index in range(screen.history_size + screen.lines):
        for piece, _ in screen.row(index):
            assert not any(wcwidth(char) < 0 for char in piece)
            assert not set(piece) & set(UNSEEN)
    assert all(len(row.read(10).cells) == 10 for row in screen.rows)


def test_the_quick_width_test_is_right_about_every_character() -> None:
    every = (chr(code) for code in range(0x20, 0x110000) if not 0xD800 <= code < 0xE000)
    wrong = [
        char
        for char in every
        if not 0x7F <= ord(char) < 0xA0 and not NOT_ONE_WIDE(char) and wcwidth(char) != 1
    ]
    assert not wrong


def test_the_quick_joining_test_is_right_about_every_character() -> None:
    every = (chr(code) for code in range(0x20, 0x110000) if not 0xD800 <= code < 0xE000)
    quick = [char for char in every if ord(char) > 0x9F and not MAY_JOIN(char)]
    assert all(wcwidth(char) > 0 for char in quick)
    assert shown("".join(quick)) == "".join(quick)


# --- the bulk lane

LINES = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "plain", "", "x" * 10, "x" * 11, "y" * 35, "漢字漢字漢", "漢字漢字漢字", "a漢b漢c漢d",
                "\x1b[31mred\x1b[m", "\x1b[32mgreen", "\x1b[44mblue", "\x1b[44mblue\x1b[49m", "\x1b[0m",
                "\x1b[1;38;5;3mlong styled text\x1b[0m", "e\u0301" * 10, "\u0301start", "👩‍💻❤️",
                "e" + "\u0301" * 20, "a\u202eb\u200bc", "\u202e", "tail \x1b[7m  ", "  \x1b[0m  ",
                "\x1b[K", "\t|", "one\rtwo", "\x1b(0q\x1b(B", "\x1b[5b", "\x1b[A", "\n", "\x1b[2;3r", "\x1b[r",
                "\x1b[99;1H", "\x1b[?7l", "\x1b[?7h", "\x1b[4h", "\x1b[4l", "\x1b[?1049h", "\x1b[?1049l",
            ]
        ),
        st.integers(1, 12),
    ),
    max_size=12,
)  # fmt: skip


def everything(screen: Screen) -> object:
    total = screen.history_size + screen.lines
    return (
        [screen.row(index) for index in range(total)],
        lines_of(screen),
        (screen.x, screen.y, screen.style, screen.scrolled, screen.printed[-1:]),
    )


@examples(200)
@given(LINES, st.integers(1, 300), st.integers(1, 12), st.integers(1, 6))
def test_lines_taken_at_once_are_lines_taken_one_by_one(
    lines: list[tuple[str, int]], piece: int, columns: int, height: int
) -> None:
    data = "".join(f"{text}\r\n" * count for text, count in lines).encode()
    whole, slow, cut = (Screen(columns, height, scrollback=40) for _ in range(3))
    slow.is_fast = False
    whole.feed(data)
    slow.feed(data)
    for at in range(0, len(data), piece):
        cut.feed(data[at : at + piece])
    assert everything(whole) == everything(slow)
    assert everything(cut) == everything(slow)
    again = Screen(1, 1, scrollback=40)
    again.restore(cut.keyframe())
    again.feed(data)
    slow.feed(data)
    assert everything(again) == everything(slow)


# --- keyframes


def unpacked(screen: Screen) -> list[Any]:
    return msgspec.msgpack.decode(zlib.decompress(screen.keyframe()))


def packed(state: object) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(state))


def example() -> Screen:
    screen = Screen(8, 3)
    screen.feed(b"one\r\n\x1b[31mtwo\r\nx\x1b[32my\x1b[0m\r\nthree\r\n\x1b7\x1b[?1049h")
    screen.feed("漢\x1b[44m \x1b[2;3H\x1b]2;title".encode())
    return screen


WRONG: list[object] = [
    -1, 0, 1, 99, 5001, 1 << 40, "", "\x1b]0;x\x07", "\u202e", [], [[]], [99, 99, 99, 99],
    [-1, 0, 0, 0], [0, 0, 2, 1], None, True, "x" * 5000, [["\x07", 0, 0, None]] * 3,
    [["", 99, 0, None]] * 3, [[["", "a"], -1, -1, [[2, 0]]]] * 3, [["\x1b[31;m\n", 0, None]],
    [["", -1, []]], [["", -1, [["\x1b[2J", 0]]]], ["\x1b]x\x07", 3], [b"\xff" * 9, 0],
]  # fmt: skip


@given(st.integers(0, 19), st.sampled_from(WRONG))
@examples(400)
def test_a_forged_keyframe_is_refused_or_harmless(field: int, value: object) -> None:
    state = unpacked(example())
    state[field] = value
    screen = Screen(8, 3)
    try:
        screen.restore(packed(state))
    except ValueError:
        assert display_of(screen) == [" " * 8] * 3
        return
    screen.feed(b"\x1b\\\x1b[?1049l\x1b8\r\nz\x1b[A\x1b[5;5H\x1b[2@\x1b[LZ\r\n\r\n\r\n")
    for index in range(screen.history_size + screen.lines):
        for text, look in screen.row(index):
            assert text.isprintable(), look
    assert "\x1b" not in "".join(lines_of(screen))


@pytest.mark.parametrize(
    "bad", [b"", b"x", zlib.compress(b""), zlib.compress(b"\xc0"), b"\x78\x9c"]
)
def test_garbage_is_refused(bad: bytes) -> None:
    with pytest.raises(ValueError, match="not a keyframe"):
        Screen(8, 3).restore(bad)


def test_a_keyframe_may_leave_scrollback_out() -> None:
    screen = Screen(20, 3)
    screen.feed(b"".join(b"line %d\r\n" % n for n in range(1000)))
    short = Screen(1, 1)
    short.restore(screen.keyframe(10))
    assert (short.history_size, short.scrolled) == (10, screen.scrolled)
    assert lines_of(short) == lines_of(screen)[-13:]
    assert len(screen.keyframe(0)) < 400


# --- sizes


def test_the_prompt_survives_a_smaller_size_under_an_editor() -> None:
    screen = Screen(20, 6)
    screen.feed(b"a\r\nb\r\nc\r\nd\r\ne\r\nprompt$ \x1b[?1049hEDITOR")
    screen.resize(20, 3)
    screen.feed(b"\x1b[?1049l")
    assert [line.rstrip() for line in display_of(screen)] == ["d", "e", "prompt$"]
    assert lines_of(screen)[:3] == ["a", "b", "c"]
    assert (screen.x, screen.y) == (8, 2)


def test_each_screen_has_its_own_saved_cursor() -> None:
    screen = Screen(20, 5)
    screen.feed(b"\x1b[2;2H\x1b7\x1b[?1047h\x1b[5;5H\x1b7\x1b[?1047l\x1b8")
    assert (screen.x, screen.y) == (1, 1)


@for_example([(b"text ", 1, 1), ("漢".encode(), 2, 1)])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                [
                    b"text ",
                    b"\r\n",
                    b"\x1b[?1049h",
                    b"\x1b[?1049l",
                    b"\x1b[H",
                    "漢".encode(),
                    b"\x1b7",
                ]
            ),
            st.integers(1, 30),
            st.integers(1, 8),
        ),
        max_size=12,
    )
)
def test_resizing_never_breaks_a_screen(steps: list[tuple[bytes, int, int]]) -> None:
    screen = Screen(10, 4)
    for data, columns, lines in steps:
        screen.feed(data * 3)
        screen.resize(columns, lines)
        both = [*screen.rows, *(screen.hidden or [])]
        assert len(screen.rows) == lines
        assert len(both) in (lines, 2 * lines)
        assert 0 <= screen.x <= columns
        assert 0 <= screen.y < lines
        assert all(len(row.read(columns).cells) == columns for row in both)
        other = Screen(1, 1)
        other.restore(screen.keyframe())
        assert display_of(other) == display_of(screen)


@pytest.mark.parametrize(("code", "single"), [(b"I", b"\t"), (b"Z", b"\x1b[Z")])
def test_many_tabs_at_once_are_as_many_tabs(code: bytes, single: bytes) -> None:
    for column in (1, 8, 9, 40, 79, 80):
        for count in (0, 1, 2, 5, 11, 10**18):
            at_once, one_by_one = Screen(80, 4), Screen(80, 4)
            for screen in (at_once, one_by_one):
                screen.feed(b"\x1b[1;%dH\x1bH\x1b[1;%dH" % (column // 2 + 1, column))
            at_once.feed(b"\x1b[%d%b" % (count, code))
            one_by_one.feed(single * min(count or 1, 80))
            assert at_once.x == one_by_one.x, (column, count)


@pytest.mark.parametrize("code", [b"I", b"Z"])
def test_a_thousand_tabs_at_once_cost_as_much_as_one(code: bytes) -> None:
    lines: list[int] = []
    for count in (1, 999):
        screen = Screen(1000, 4)
        screen.feed(b"\x1b[1;%dH" % (1000 if code == b"Z" else 1))
        with Work() as work:
            screen.feed(b"\x1b[%d%b" % (count, code))
        lines.append(work.lines)
    assert lines[1] < 2 * lines[0]
