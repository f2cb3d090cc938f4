"""Other terminal emulators for comparison: the screen each one shows after the same output."""

from __future__ import annotations

import codecs
import importlib.util
from collections.abc import Callable, Iterable

import pyte

from sandbox_tui.core.terminal.emulator.screen import Screen

Lines = list[str]
Oracle = Callable[[Iterable[bytes], int, int], Lines]
"""Takes pieces of output, columns and rows; returns the lines shown, without trailing blanks."""


class UncrashedScreen(pyte.Screen):
    """pyte without the crashes on two sequences that vim and mc send."""

    def select_graphic_rendition(self, *attributes: int, private: bool = False) -> None:
        if not private:
            super().select_graphic_rendition(*attributes)

    def set_margins(self, *margins: int, private: bool = False) -> None:
        if not private:
            super().set_margins(*margins)


class UncrashedHistory(UncrashedScreen, pyte.HistoryScreen):
    """`UncrashedScreen` with scrollback."""


def display_of(screen: Screen) -> list[str]:
    """Return the screen of our emulator as lines of text, including trailing blanks."""
    return ["".join(row.read(screen.columns).cells) for row in screen.rows]


def pyte_lines(pieces: Iterable[bytes], columns: int, rows: int) -> Lines:
    screen = UncrashedScreen(columns, rows)
    stream = pyte.ByteStream(screen)
    for piece in pieces:
        stream.feed(piece)
    return cut(screen.display)


def avt_lines(pieces: Iterable[bytes], columns: int, rows: int) -> Lines:
    import avt

    terminal = avt.Vt(columns, rows)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for piece in pieces:
        terminal.feed_str(decoder.decode(piece))
    return cut(line.text for line in terminal.view())


def ghostty_lines(pieces: Iterable[bytes], columns: int, rows: int) -> Lines:
    import pyghostty

    with pyghostty.Terminal(columns, rows) as terminal:
        for piece in pieces:
            terminal.feed(piece)
        lines = cut(terminal.text().split("\n"))
    return [*lines, *[""] * (rows - len(lines))]


def cut(lines: Iterable[str]) -> Lines:
    """Strip trailing blanks from each line."""
    return [line.replace("\x00", " ").rstrip() for line in lines]


ORACLES: dict[str, tuple[str, Oracle]] = {
    "pyte": ("pyte", pyte_lines),
    "avt": ("avt", avt_lines),
    "ghostty": ("pyghostty", ghostty_lines),
}
"""Oracles by name: the required module and the function that runs it."""


def installed(name: str) -> bool:
    """Whether the module of an oracle is installed."""
    return importlib.util.find_spec(ORACLES[name][0]) is not None
