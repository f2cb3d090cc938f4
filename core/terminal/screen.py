"""The emulator: a `pyte.Screen` with a parser and rows of its own, safe on any input and fast.

pyte's face is kept (`buffer`, `display`, `cursor`, `dirty`). The rest is layered, one idea a file:
`parser` finds sequences and text, `sequences` says what they mean, `modes`, `editing` and `grid` do
it, on rows of `cells` whose looks are numbers (`graphics`). `bulk` takes whole lines past all of
them, `redraws` drops what is drawn over at once, `history` keeps what scrolled away.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

import pyte
from pyte.screens import Char, Cursor

from .bulk import Bulk
from .cells import Row, Run
from .graphics import attributes_of
from .history import SCROLLBACK, History, plain
from .keyframe import from_keyframe, to_keyframe
from .parser import Parser

LARGEST = 5000
"""Columns or lines; a size beyond is cut to it."""


class Screen(Bulk, pyte.Screen):
    """See `base.Terminal`.

    Args:
        columns, lines: size in cells.
        scrollback: lines kept of what scrolled off the top.
    """

    def __init__(self, columns: int, lines: int, scrollback: int = SCROLLBACK) -> None:
        self.columns, self.lines = _size(columns), _size(lines)
        self.history = History(scrollback)
        self.scrolled = 0
        self.dirty: set[int] = set()
        self.answers: list[str] = []
        self.parser = Parser(self)
        self.reset()

    def feed(self, data: bytes) -> None:
        """See `Terminal.feed`."""
        self.parser.feed(data)

    def replies(self) -> bytes:
        """See `Terminal.replies`."""
        data = "".join(self.answers).encode()
        self.answers.clear()
        return data

    # --- reading

    @property
    def in_alternate(self) -> bool:
        """See `Terminal`."""
        return self.hidden is not None

    @property
    def history_size(self) -> int:
        """See `Terminal`."""
        return len(self.history)

    def row(self, index: int) -> list[Run]:
        """See `Terminal.row`."""
        above = len(self.history)
        if index < above:
            return self.history.runs(index)
        return self.rows[index - above].runs(self.columns)

    def text(self, index: int) -> str:
        """See `Terminal.text`."""
        above = len(self.history)
        if index < above:
            return self.history.text(index)
        return plain(self.rows[index - above].as_raw(self.columns))

    def find(self, needle: str) -> Iterator[int]:
        """Indexes of the lines that hold `needle`, whatever the case."""
        yield from self.history.find(needle)
        above, wanted = len(self.history), needle.casefold()
        for index in range(above, above + self.lines):
            if wanted in self.text(index).casefold():
                yield index

    # --- pyte's face

    @property
    def display(self) -> list[str]:
        """The screen as lines of text."""
        return ["".join(row.read(self.columns).cells) for row in self.rows]

    @property
    def buffer(self) -> list[list[Char]]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The screen as pyte's characters (which know neither faint nor conceal)."""
        return [
            [
                Char(cell, *attributes_of(look)[:8])  # pyright: ignore[reportArgumentType]
                for cell, look in zip(row.cells, row.looks, strict=True)
            ]
            for row in (row.read(self.columns) for row in self.rows)
        ]

    @property
    def cursor(self) -> Cursor:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The cursor as pyte has it."""
        cursor = Cursor(self.x, self.y)
        cursor.hidden = 25 not in self.modes
        return cursor

    # --- the whole state

    def keyframe(self, scrollback: int = SCROLLBACK) -> bytes:
        """See `Terminal.keyframe`.

        Args:
            scrollback: lines of scrollback to keep, the latest ones; the rest is forgotten.
        """
        return to_keyframe(self, scrollback)

    def restore(self, keyframe: bytes) -> None:
        """See `Terminal.restore`."""
        from_keyframe(self, keyframe)

    # --- size

    def resize(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, columns: int, lines: int
    ) -> None:
        """See `Terminal.resize`."""
        columns, lines = _size(columns), _size(lines)
        if (columns, lines) == (self.columns, self.lines):
            return
        self._resize_height(lines)
        for row in (*self.rows, *(self.hidden or ())):
            row.fit(columns, self.columns)
        self.tab_stops = {stop for stop in self.tab_stops if stop < columns}
        self.tab_stops.update(stop for stop in range(8, columns, 8) if stop >= self.columns)
        self.columns, self.lines = columns, lines
        self.top, self.bottom = 0, lines - 1
        self.x, self.y = min(self.x, columns - 1), min(max(self.y, 0), lines - 1)
        self.dirty.clear()
        self.touch(0, lines)

    def _resize_height(self, lines: int) -> None:
        """Both screens get as many rows; what leaves the top of the main one is kept."""
        if self.hidden is None:
            gone = self._rows_to_go(self.rows, self.y, lines)
            self.retire(self.rows[:gone])
        else:
            gone = max(0, min(self.y + 1 - lines, len(self.rows) - lines))
            main_y = self.saved_hidden.y if self.saved_hidden else self.lines - 1
            main_gone = self._rows_to_go(self.hidden, main_y, lines)
            self.retire(self.hidden[:main_gone])
            self.hidden = _of_height(self.hidden[main_gone:], lines)
            if self.saved_hidden:
                self.saved_hidden = self.saved_hidden._replace(y=max(0, main_y - main_gone))
        self.rows = _of_height(self.rows[gone:], lines)
        self.y -= gone

    def _rows_to_go(self, rows: list[Row], y: int, lines: int) -> int:
        """Rows that leave the top: no more than needed once blank rows at the end are dropped."""
        below = rows[y + 1 :]
        blank = sum(1 for _ in takewhile(lambda row: row.is_blank(self.columns), reversed(below)))
        return max(0, min(len(rows) - lines - blank, y))


def _of_height(rows: list[Row], lines: int) -> list[Row]:
    return [*rows[:lines], *(Row() for _ in range(lines - len(rows)))]


def _size(number: int) -> int:
    return min(max(1, number), LARGEST)
