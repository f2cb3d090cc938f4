"""The emulator: what pyte lacks, and input that gives the same screen however it is split."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import msgspec
import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.emulator.sgr import Attributes, attributes_of
from tests.examples import examples
from tests.terminal_oracles import display_of


def screen_of(data: bytes, columns: int = 20, lines: int = 5) -> Screen:
    screen = Screen(columns, lines)
    screen.feed(data)
    return screen


def shown(screen: Screen) -> list[str]:
    return [line.rstrip() for line in display_of(screen)]


def first(data: bytes) -> str:
    return shown(screen_of(data))[0]


def attributes(screen: Screen, y: int, x: int = 0) -> Attributes:
    return attributes_of(screen.rows[y].read(screen.columns).styles[x])


GAPS: dict[str, tuple[bytes, Callable[[Screen], object], object]] = {
    "alternate screen": (b"main\x1b[?1049hALT\x1b[?1049l", lambda s: shown(s)[0], "main"),
    "private SGR": (b"\x1b[?4mA", lambda s: shown(s)[0], "A"),
    "XTMODKEYS is not SGR": (
        b"\x1b[>4;2mA",
        lambda s: attributes(s, 0).underscore,
        False,
    ),
    "kitty keyboard push": (b"\x1b[>1uA", lambda s: shown(s)[0], "A"),
    "kitty keyboard pop": (b"\x1b[<uA", lambda s: shown(s)[0], "A"),
    "curly underline": (b"\x1b[4:3mA", lambda s: attributes(s, 0).underscore, True),
    "RGB with colons": (b"\x1b[38:2::1:2:3mA", lambda s: attributes(s, 0).fg, "010203"),
    "RGB with semicolons": (
        b"\x1b[48;2;255;0;9mA",
        lambda s: attributes(s, 0).bg,
        "ff0009",
    ),
    "faint": (b"\x1b[2mA", lambda s: attributes(s, 0).faint, True),
    "22 ends bold and faint": (
        b"\x1b[1;2m\x1b[22mA",
        lambda s: attributes(s, 0).bold,
        False,
    ),
    "SU": (b"a\r\nb\r\nc\x1b[1S", lambda s: shown(s)[0], "b"),
    "SD": (b"a\r\nb\x1b[1T", lambda s: shown(s)[1], "a"),
    "REP": (b"x\x1b[4b", lambda s: shown(s)[0], "xxxxx"),
    "CBT": (b"\t\t\x1b[ZX", lambda s: s.x, 9),
    "CSI s and u": (b"\x1b[3;3H\x1b[s\x1b[1;1H\x1b[uX", lambda s: shown(s)[2], "  X"),
    "DECID": (b"\x1bZ", lambda s: s.replies(), b"\x1b[?62;22c"),
    "DA2": (b"\x1b[>c", lambda s: s.replies(), b"\x1b[>1;10;0c"),
    "DECRQM": (b"\x1b[?2026$pA", lambda s: s.replies(), b"\x1b[?2026;2$y"),
    "DSR": (b"ab\x1b[6n", lambda s: s.replies(), b"\x1b[1;3R"),
    "OSC 8": (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", lambda s: shown(s)[0], "link"),
    "OSC title": (b"\x1b]2;hi\x1b\\A", lambda s: (s.title, shown(s)[0]), ("hi", "A")),
    "OSC 22, 10, 133 set no title": (
        b"\x1b]133;A\x07\x1b]10;?\x07\x1b]22;p\x07A",
        lambda s: s.title,
        "",
    ),
    "OSC broken off": (b"\x1b]2;a\x1b[31mB", lambda s: shown(s)[0], "B"),
    "DCS": (b"\x1bPq#0;2;0\x1b\\A", lambda s: shown(s)[0], "A"),
    "APC": (b"\x1b_Ga=T;AAAA\x1b\\A", lambda s: shown(s)[0], "A"),
    "PM": (b"\x1b^hello\x1b\\A", lambda s: shown(s)[0], "A"),
    "line drawing": (b"\x1b(0lqk\x1b(B", lambda s: shown(s)[0], "┌─┐"),
    "other charsets": (b"\x1b*BA\x1b$BA", lambda s: shown(s)[0], "AA"),
    "ZWJ keeps the rest": ("👩‍💻abc".encode(), lambda s: "abc" in shown(s)[0], True),
    "VS16 keeps the rest": ("❤️abc".encode(), lambda s: "abc" in shown(s)[0], True),
    "wide at the edge wraps": (b"a" * 19 + "漢".encode(), lambda s: shown(s)[1], "漢"),
    "half of a wide one": ("漢\x1b[1;1Hx".encode(), lambda s: display_of(s)[0][:3], "x  "),
    "other half": ("漢\x1b[1;2Hx".encode(), lambda s: display_of(s)[0][:3], " x "),
    "BCE": (b"\x1b[41m\n\n\n\n\n\n", lambda s: attributes(s, 4, 3).bg, "red"),
    "ED3 leaves the screen": (b"abc\x1b[3J", lambda s: shown(s)[0], "abc"),
    "BS after the last column": (b"a" * 20 + b"\x08X", lambda s: shown(s)[0], "a" * 18 + "Xa"),
    "origin mode without margins": (b"\x1b[?6h\x1b[6n", lambda s: s.replies(), b"\x1b[1;1R"),
    "private DECSTBM": (b"\x1b[?1001rA", lambda s: shown(s)[0], "A"),
    "CUP with four arguments": (b"\x1b[1;2;3;4HA", lambda s: shown(s)[0], " A"),
    "a parameter of 400 digits": (b"\x1b[" + b"1" * 400 + b"CX", lambda s: shown(s)[0][-1], "X"),
    "DECALN": (b"\x1b#8", lambda s: shown(s)[0], "E" * 20),
    "invalid UTF-8": (b"\xff\xfeA", lambda s: shown(s)[0], "��A"),
    "many saves": (b"\x1b7" * 10_000, lambda s: len(s.keyframe()) < 400, True),
    "kitty keyboard set": (b"\x1b[=1uA", lambda s: shown(s)[0], "A"),
    "faint, conceal": (b"\x1b[2;8mA", lambda s: attributes(s, 0)[8:10], (True, True)),
    "overline": (b"\x1b[53mA", lambda s: (shown(s)[0], attributes(s, 0)), ("A", Attributes())),
    "double underline": (b"\x1b[21mA", lambda s: attributes(s, 0).underscore, True),
    "underline ended by 4:0": (b"\x1b[4m\x1b[4:0mA", lambda s: attributes(s, 0).underscore, False),
    "256 colours with colons": (b"\x1b[38:5:9mA", lambda s: attributes(s, 0).fg, "brightred"),
    "RGB without a colour space": (b"\x1b[38:2:1:2:3mA", lambda s: attributes(s, 0).fg, "010203"),
    "a colour that is cut short": (b"\x1b[38;5m\x1b[1mA", lambda s: attributes(s, 0).bold, True),
    "DA2 is not DA1": (b"\x1b[>0c\x1b[c", lambda s: s.replies(), b"\x1b[>1;10;0c\x1b[?62;22c"),
    "DA with parameters": (b"\x1b[?1;2cA", lambda s: (shown(s)[0], s.replies()), ("A", b"")),
    "DECRQM, unknown": (b"\x1b[?9999$p", lambda s: s.replies(), b"\x1b[?9999;0$y"),
    "DECXCPR": (b"ab\x1b[?6n", lambda s: s.replies(), b"\x1b[?1;3R"),
    "DECSED": (b"ab\x1b[H\x1b[?JA", lambda s: shown(s)[0], "A"),
    "private CUU": (b"\x1b[3H\x1b[?1AA", lambda s: shown(s)[2], "A"),
    "more numbers than CUU takes": (b"\x1b[3H\x1b[1;2AA", lambda s: shown(s)[1], "A"),
    "DECSTBM beyond the end": (b"\x1b[1;999rA", lambda s: shown(s)[0], "A"),
    "private DECSTBM without numbers": (b"\x1b[?rA", lambda s: shown(s)[0], "A"),
    "DECRC without DECSC": (b"\x1b[3H\x1b8A", lambda s: shown(s)[0], "A"),
    "DECSCUSR": (b"\x1b[2 qA", lambda s: shown(s)[0], "A"),
    "DECKPAM and DECKPNM": (b"\x1b=\x1b>A", lambda s: shown(s)[0], "A"),
    "S7C1T": (b"\x1b FA", lambda s: shown(s)[0], "A"),
    "OSC 52": (b"\x1b]52;c;aGk=\x07A", lambda s: shown(s)[0], "A"),
    "SOS": (b"\x1bXhello\x1b\\A", lambda s: shown(s)[0], "A"),
    "NEL among text": ("a\x85b".encode(), lambda s: shown(s)[:2], ["a", "b"]),
    "ZWSP keeps the rest": ("a\u200bbc".encode(), lambda s: shown(s)[0], "abc"),
    "half of a wide one, erased": (
        "漢\x1b[1;2H\x1b[K".encode(),
        lambda s: display_of(s)[0][:3],
        "   ",
    ),
    "BCE of erasing": (b"\x1b[44m\x1b[K", lambda s: attributes(s, 0, 19).bg, "blue"),
    "a parameter of 5,000 digits": (b"\x1b[" + b"1" * 5000 + b"mA", lambda s: shown(s)[0], "A"),
    "ICH beyond the edge": (b"ab\x1b[H\x1b[9999@A", lambda s: shown(s)[0], "A"),
    "modes are kept": (
        b"\x1b[?2004h\x1b[?1006h\x1b[?2026h",
        lambda s: s.modes >= {2004, 1006, 2026},
        True,
    ),
    "cursor and look come back from the other screen": (
        b"\x1b[31mab\x1b[?1049h\x1b[3;3H\x1b[m\x1b[?1049lc",
        lambda s: (shown(s)[0], attributes(s, 0, 2).fg),
        ("abc", "red"),
    ),
    "lines of the other screen keep out of history": (
        b"\x1b[?1049h" + b"x\r\n" * 50,
        lambda s: s.history_size,
        0,
    ),
    "an OSC that never ends, at the next sequence": (
        b"\x1b]0;title" + b"x" * 5000 + b"\x1b[mA",
        lambda s: (s.title, shown(s)[0]),
        ("", "A"),
    ),
    "region scrolls keep out of history": (
        b"\x1b[2;4r\x1b[4H" + b"\n" * 50,
        lambda s: s.history_size,
        0,
    ),
}


@pytest.mark.parametrize("name", GAPS)
def test_what_pyte_lacks(name: str) -> None:
    data, read, wanted = GAPS[name]
    assert read(screen_of(data)) == wanted


SANE_PIECES = [
    *(b"hello ", b"\r\n", b"\x1b[31m", b"\x1b[0m", b"\x1b[1;4m", b"\x1b[2J", b"\x1b[3;4H"),
    *(b"\x1b[K", b"\x1b[A", b"\x1b[2C", b"word word word word ", b"\t", b"\x1b[2P"),
    *(b"\x1b[3X", b"\x1bM"),
]
SANE = st.lists(st.sampled_from(SANE_PIECES), max_size=40)


@given(SANE)
def test_pyte_agrees_where_it_is_right(pieces: list[bytes]) -> None:
    ours, theirs = Screen(20, 5), pyte.Screen(20, 5)
    stream = pyte.ByteStream(theirs)
    for piece in pieces:
        if ours.x == 20:  # before a wrap, pyte moves the cursor differently from terminals
            return
        ours.feed(piece)
        stream.feed(piece)
    assert display_of(ours) == theirs.display
    assert (min(ours.x, 19), ours.y) == (min(theirs.cursor.x, 19), theirs.cursor.y)


PIECES = [
    *(
        b"hello ",
        b"\r\n",
        b"\n",
        b"\r",
        b"\x1b[31m",
        b"\x1b[0m",
        b"\x1b[44m",
        b"\x1b[2J",
        b"\x1b[H",
    ),
    *(
        "漢字".encode(),
        "👩‍💻".encode(),
        "e\u0301".encode(),
        b"\x1b]0;t\x07",
        b"\x1b]2;open\x1b[32m",
    ),
    *(b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[2;4r", b"\x1bM", b"\t", b"\x1b[3L", b"\x1b[2M"),
    *(b"\x1b[4P", b"\x1b[3@", b"\x1b(0lqk\x1b(B", b"x" * 30, b"\xff", b"\x1bP1\x1b\\", b"\x1b[5b"),
    *(
        b"line of text\r\n" * 4,
        b"\x1b[32mgreen\x1b[0m\r\n" * 5,
        b"\r\n\r\n\r\n\r\n",
        b"\x1b7",
        b"\x1b8",
    ),
    *(b"\r\x1b[2K 50% \x1b[32mdone\x1b[0m", b"\r\x1b[K\x1b[44m7%", b"\r\x1b[2K", b"\x1b[m\x1b(B"),
    *(b"\x1b[48;2;1;2;3m", b"\x1b[K", b"\x1b[1K", b"\x1b[9C", b"\x1b[2;9H", b"\x1b[4h", b"\x1b[4l"),
]
STREAMS = st.one_of(
    st.binary(max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join),
    st.text("\x1b[]0123;:?>m\x07\r\n ab\x9bPX^_\\hlHJKrABC", max_size=150).map(str.encode),
)


def state(screen: Screen) -> object:
    total = screen.history_size + screen.lines
    return [screen.row(index) for index in range(total)], screen.keyframe()


@examples(150)
@given(STREAMS, st.lists(st.integers(0, 400), max_size=8))
def test_no_input_raises_and_no_cut_matters(data: bytes, cuts: list[int]) -> None:
    whole = screen_of(data)
    pieces = Screen(20, 5)
    before = 0
    for cut in [*sorted(cuts), len(data)]:
        pieces.feed(data[before:cut])
        before = max(before, cut)
    assert state(pieces) == state(whole)


@examples(100)
@given(STREAMS, st.integers(1, 60))
def test_looking_changes_nothing(data: bytes, piece: int) -> None:
    """Rows stay unparsed until something reads their cells."""
    looked_at = Screen(20, 5)
    for at in range(0, len(data), piece):
        looked_at.feed(data[at : at + piece])
        assert [len(row.read(20).cells) for row in looked_at.rows] == [20] * 5
    assert state(looked_at) == state(screen_of(data))


@examples(100)
@given(STREAMS)
def test_the_fast_lane_changes_nothing(data: bytes) -> None:
    slow = Screen(20, 5)
    slow.is_fast = False
    slow.feed(data)
    assert state(slow) == state(screen_of(data))


@examples(100)
@given(STREAMS, STREAMS)
def test_a_keyframe_and_the_rest_equal_the_whole(before: bytes, after: bytes) -> None:
    middle = screen_of(before)
    restored = Screen(3, 3)
    restored.restore(middle.keyframe())
    restored.feed(after)
    assert state(restored) == state(screen_of(before + after))


@given(st.binary(max_size=200))
def test_invalid_keyframes_are_refused(data: bytes) -> None:
    screen = screen_of(b"here")
    with pytest.raises(ValueError, match="not a keyframe"):
        screen.restore(data)
    assert shown(screen)[0] == "here"


@given(STREAMS, st.integers(1, 40), st.integers(1, 12))
def test_any_terminal_size_works(data: bytes, columns: int, lines: int) -> None:
    screen = screen_of(data)
    screen.resize(columns, lines)
    screen.feed(data)
    assert [len(row.read(columns).cells) for row in screen.rows] == [columns] * lines


END_ALTERNATE = b"\x18\x1b\\\x1b[?1049l\x1b[?47l"
"""Ends an open sequence and the alternate screen."""


def restored(screen: Screen) -> Screen:
    copy = Screen(3, 3)
    copy.restore(screen.keyframe())
    return copy


def characters(screen: Screen) -> str:
    """All characters of the scrollback and the screen, without blanks."""
    total = screen.history_size + screen.lines
    return "".join("".join(map(screen.text, range(total))).split())


@examples(150)
@given(STREAMS, st.integers(1, 19), st.integers(1, 12), st.sampled_from([b"", b"\x1b[?1049h"]))
def test_a_narrower_screen_loses_no_text(
    data: bytes, columns: int, lines: int, alternate: bytes
) -> None:
    screen = screen_of(data + END_ALTERNATE)
    before, scrolled, kept = characters(screen), screen.scrolled, screen.history_size
    screen.feed(alternate)
    screen.resize(columns, lines)
    screen.feed(END_ALTERNATE if alternate else b"")
    assert characters(screen) == before
    assert screen.scrolled - scrolled == screen.history_size - kept
    assert [len(row.read(columns).cells) for row in screen.rows] == [columns] * lines
    assert state(restored(screen)) == state(screen)


def test_text_goes_on_where_it_was_after_a_line_is_divided() -> None:
    screen = screen_of(b"a\r\n0123456789abcdef")
    screen.resize(8, 5)
    assert shown(screen) == ["a", "01234567", "89abcdef", "", ""]
    screen.feed(b"ghi")
    assert shown(screen) == ["a", "01234567", "89abcdef", "ghi", ""]


def test_a_line_that_leaves_a_narrower_screen_stays_whole() -> None:
    screen = screen_of(b"\r\n".join(b"%d" % n * 16 for n in range(5)))
    screen.resize(8, 5)
    assert [screen.text(i) for i in range(3)] == ["0" * 16, "1" * 16, "2" * 8]
    assert shown(screen) == ["2" * 8, "3" * 8, "3" * 8, "4" * 8, "4" * 8]
    assert screen.history_columns == 20


def test_wide_characters_stay_whole_on_a_narrower_screen() -> None:
    screen = screen_of("日本語日本語".encode())
    screen.resize(5, 5)
    assert shown(screen)[:3] == ["日本", "語日", "本語"]
    screen.resize(1, 6)
    assert shown(screen) == ["日", "本", "語", "日", "本", "語"]


def test_the_lines_of_a_full_screen_program_are_cut() -> None:
    screen = screen_of(b"main 0123456789\x1b[?1049h\x1b[Hbar 0123456789\r\nbelow")
    screen.resize(8, 5)
    assert shown(screen)[:2] == ["bar 0123", "below"]
    screen.feed(b"\x1b[?1049l!")
    assert shown(screen)[:2] == ["main 012", "3456789!"]


def test_an_older_keyframe_can_be_read() -> None:
    fields = msgspec.msgpack.decode(zlib.decompress(screen_of(b"text").keyframe()))
    screen = Screen(20, 5)
    screen.restore(zlib.compress(msgspec.msgpack.encode(fields[:-1])))
    assert first(b"text") == shown(screen)[0]


def test_a_cursor_outside_of_a_smaller_screen_comes_inside() -> None:
    screen = screen_of(b"\x1b[5;20HA")
    screen.resize(10, 3)
    screen.feed(b"Z")
    assert all(len(line) == 10 for line in display_of(screen))
    assert "Z" in "".join(display_of(screen))


def test_resizing_keeps_the_bottom() -> None:
    screen = screen_of(b"a\r\nb\r\nc\r\nd\r\ne")
    screen.resize(20, 3)
    assert shown(screen) == ["c", "d", "e"]
    assert [screen.text(i) for i in range(2)] == ["a", "b"]


def test_scrollback_is_bounded_and_searched() -> None:
    screen = Screen(20, 3, scrollback=1000)
    for number in range(3000):
        screen.feed(b"line %d\r\n" % number)
    assert screen.history_size == 1000
    assert [screen.text(i) for i in screen.find("LINE 2999")] == ["line 2999"]
