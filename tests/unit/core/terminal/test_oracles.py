"""Compares the final screen with other emulators, over fifteen kinds of output."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.mirror import MirrorWriter
from tests.examples import examples
from tests.perf.corpora import COLUMNS, CORPORA, LINES, Make, corpus
from tests.terminal_oracles import ORACLES, avt_lines, cut, display_of, ghostty_lines, installed

OTHERWISE = {("pyte", "cjk_emoji"), ("ghostty", "cjk_emoji")}
"""Not compared: pyte drops text after a joiner, ghostty draws multi-character emoji as one."""


def ours(pieces: list[bytes], columns: int = COLUMNS, rows: int = LINES) -> list[str]:
    screen = Screen(columns, rows)
    for piece in pieces:
        screen.feed(piece)
    return cut(display_of(screen))


def pieces_of(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


COMPARED = [
    pytest.param(oracle, make, id=f"{oracle}-{make.__name__}")
    for oracle in ORACLES
    for make in CORPORA
    if (oracle, make.__name__) not in OTHERWISE
]


def needs(oracle: str) -> None:
    if not installed(oracle):
        pytest.skip(f"{oracle} is not installed")


@pytest.mark.parametrize(("oracle", "make"), COMPARED)
def test_the_screen_is_the_same(oracle: str, make: Make) -> None:
    needs(oracle)
    data = corpus(make, 40_000 if oracle == "pyte" else 150_000)
    pieces = pieces_of(data, 4096)
    assert ours(pieces) == ORACLES[oracle][1](pieces, COLUMNS, LINES)


@pytest.mark.parametrize("make", CORPORA, ids=lambda make: make.__name__)
def test_pieces_of_any_size_give_the_same_screen_and_scrollback(make: Make) -> None:
    data = corpus(make, 60_000)
    states: list[bytes] = []
    for size in (len(data), 16_384, 997, 61):
        screen = Screen(COLUMNS, LINES)
        for piece in pieces_of(data, size):
            screen.feed(piece)
        states.append(screen.keyframe())
    assert len(set(states)) == 1


@pytest.mark.parametrize("oracle", ["avt", "ghostty"])  # pyte prints part of a soft reset
def test_the_mirror_is_right_in_other_terminals_too(oracle: str) -> None:
    """Exported recordings are played in these emulators."""
    needs(oracle)
    console, data = MirrorWriter(), b""
    for number in range(3):
        data += console.prompt("model", f"do {number}") + console.output("stdout", b"a\nb")
        data += console.output("stdout", b"\x1b[?1049h\x1b[3;3Heditor" * (number == 1))
    assert ORACLES[oracle][1]([data], 20, 12) == ours([data], 20, 12)
    assert "model ❯ do 2" in ours([data], 20, 12)


PIECES = [
    *(b"word ", b"x" * 23, b"\r\n", b"\n", b"\r", b"\b", b"\t", "漢字".encode(), b"\x1b[31m", b"\x1b[m"),
    *(b"\x1b[H", b"\x1b[3;4H", b"\x1b[9;9H", b"\x1b[A", b"\x1b[2B", b"\x1b[3C", b"\x1b[2D", b"\x1b[5G"),
    *(b"\x1b[J", b"\x1b[1J", b"\x1b[2J", b"\x1b[K", b"\x1b[1K", b"\x1b[2K", b"\x1b[2X", b"\x1b[3P"),
    *(b"\x1b[2@", b"\x1b[L", b"\x1b[2M", b"\x1b[S", b"\x1b[T", b"\x1b[2;4r", b"\x1b[r", b"\x1bM", b"\x1bD"),
    *(b"\x1b7", b"\x1b8", b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b(0lqk\x1b(B", b"\x1b[4h", b"\x1b[4l"),
    *(b"\x1b]0;title\x07", b"\x1bP1$r\x1b\\", b"\x1b[?25l", b"\x1b[>4;2m", b"\x1b[4:3m", b"\x1b[2b"),
]  # fmt: skip


def _paired(pieces: list[bytes]) -> list[bytes]:
    """Drop each switch back from the alternate screen without a matching switch to it.

    Without a match, other emulators move the cursor to the saved position and ours leaves it in
    place.
    """
    inside, paired = False, list[bytes]()
    for piece in pieces:
        if piece == b"\x1b[?1049l" and not inside:
            continue
        if piece.startswith(b"\x1b[?1049"):
            inside = piece.endswith(b"h")
        paired.append(piece)
    return paired


@pytest.mark.skipif(
    not (installed("avt") and installed("ghostty")),
    reason="avt and pyghostty are not both installed",
)
@examples(150)
@given(st.lists(st.sampled_from(PIECES), max_size=30))
@example([b"x" * 23, b"\x1b[?1049h", b"\x1b[2b", b"\x1b[?1049h"])  # entering it twice clears it
def test_the_screen_matches_what_two_others_agree_on(pieces: list[bytes]) -> None:
    pieces = _paired(pieces)
    theirs = avt_lines(pieces, 20, 6)
    if theirs == ghostty_lines(pieces, 20, 6):
        assert ours(pieces, 20, 6) == theirs
