"""Our terminal emulator, which is fast and safe on any input.

It is layered, one idea per file: `parser` finds sequences and text, `sequences` maps them to
functions, `modes`, `editing` and `grid` carry these out on `rows`. A style is a number (`sgr`).
`fast_path` bypasses all of them for whole lines, `progress_bars` drops lines that are immediately
overwritten, `scrollback` stores lines that scrolled away.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from sandbox_tui.core.terminal.emulator.fast_path import FastPath
from sandbox_tui.core.terminal.emulator.parser import Parser
from sandbox_tui.core.terminal.emulator.rows import Row, Run
from sandbox_tui.core.terminal.emulator.scrollback import SCROLLBACK, History, plain
from sandbox_tui.core.terminal.screen_keyframe import from_keyframe, to_keyframe

MAX_SIZE = 5000
"""Maximum columns or lines; larger sizes are reduced to this."""


class Screen(FastPath):
    """A `Terminal` whose state can be saved in a keyframe.

    Args:
        columns, lines: size in cells.
        scrollback: maximum number of lines kept after they scroll off the top.
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
        """Process output (see `Terminal.feed`)."""
        self.parser.feed(data)

    def replies(self) -> bytes:
        """Return and clear the pending replies to the program."""
        data = "".join(self.answers).encode()
        self.answers.clear()
        return data

    # --- reading

    @property
    def in_alternate(self) -> bool:
        """Whether the alternate screen is shown."""
        return self.hidden is not None

    @property
    def history_size(self) -> int:
        """Lines in scrollback."""
        return len(self.history)

    def row(self, index: int) -> list[Run]:
        """Return a line as runs with one style each (see `Terminal.row`)."""
        above = len(self.history)
        if index < above:
            return self.history.runs(index)
        return self.rows[index - above].runs(self.columns)

    def text(self, index: int) -> str:
        """Return a line as plain text."""
        above = len(self.history)
        if index < above:
            return self.history.text(index)
        return plain(self.rows[index - above].as_raw(self.columns))

    def find(self, needle: str) -> Iterator[int]:
        """Yield the indexes of the lines that contain `needle`, ignoring case."""
        yield from self.history.find(needle)
        above, folded = len(self.history), needle.casefold()
        for index in range(above, above + self.lines):
            if folded in self.text(index).casefold():
                yield index

    # --- the whole state

    def keyframe(self, scrollback: int = SCROLLBACK) -> bytes:
        """Return the state as bytes: screens, modes, parser, and the last `scrollback` lines."""
        return to_keyframe(self, scrollback)

    def restore(self, keyframe: bytes) -> None:
        """Restore the state saved in a `keyframe`.

        Raises:
            ValueError: it is not a keyframe; nothing has changed.
        """
        from_keyframe(self, keyframe)

    # --- size

    def resize(self, columns: int, lines: int) -> None:
        """Change the size, keeping the bottom of the screen (see `Terminal.resize`)."""
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
        """Resize both screens to `lines` rows, keeping lines that leave the top of the main one."""
        if self.hidden is None:
            removed = self._rows_to_go(self.rows, self.y, lines)
            self.retire(self.rows[:removed])
        else:
            removed = max(0, min(self.y + 1 - lines, len(self.rows) - lines))
            main_y = self.saved_hidden.y if self.saved_hidden else self.lines - 1
            main_gone = self._rows_to_go(self.hidden, main_y, lines)
            self.retire(self.hidden[:main_gone])
            self.hidden = _of_height(self.hidden[main_gone:], lines)
            if self.saved_hidden:
                self.saved_hidden = self.saved_hidden._replace(y=max(0, main_y - main_gone))
        self.rows = _of_height(self.rows[removed:], lines)
        self.y -= removed

    def _rows_to_go(self, rows: list[Row], y: int, lines: int) -> int:
        """Return the number of rows that leave the top: as few as possible, after blank rows at the
        end."""
        below = rows[y + 1 :]
        blank = sum(1 for _ in takewhile(lambda row: row.is_blank(self.columns), reversed(below)))
        return max(0, min(len(rows) - lines - blank, y))


def _of_height(rows: list[Row], lines: int) -> list[Row]:
    return [*rows[:lines], *(Row() for _ in range(lines - len(rows)))]


def _size(number: int) -> int:
    return min(max(1, number), MAX_SIZE)
