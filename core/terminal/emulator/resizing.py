"""Changing a screen's size: lines that become too long are divided, so that no text is lost, and
lines that wrapped are joined again when there is room.

A line that leaves the top stays whole in scrollback, where a view wraps it. On the alternate
screen, lines are cut, since full-screen programs draw it again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from sandbox_tui.core.terminal.emulator.fast_path import FastPath
from sandbox_tui.core.terminal.emulator.rows import Row, width_of
from sandbox_tui.core.terminal.emulator.sgr import CellStyle

MAX_SIZE = 5000
"""Maximum columns or lines; larger sizes are reduced to this."""


class _Refitted(NamedTuple):
    """The main screen with another number of columns.

    Attributes:
        gone: number of rows that leave the top as they are.
        parts: parts of the next row that leave the top, too.
        rows: the rows that stay.
        x, y: the cursor.
    """

    gone: int
    parts: list[Row]
    rows: list[Row]
    x: int
    y: int


class Resizing(FastPath):
    """A screen that can be resized.

    Attributes:
        history_columns: columns of the widest line that scrollback may contain, if it was written
            when the screen was wider; otherwise 0.
    """

    history_columns: int = 0

    def resize(self, columns: int, lines: int) -> None:
        """Change the size, keeping the bottom of the screen (see `Terminal.resize`)."""
        columns, lines, before = limited(columns), limited(lines), self.columns
        if (columns, lines) == (before, self.lines):
            return
        if columns != before:
            self._change_width(columns, lines)
        self._resize_height(lines)
        self.tab_stops = {stop for stop in self.tab_stops if stop < columns}
        self.tab_stops.update(stop for stop in range(8, columns, 8) if stop >= before)
        self.lines = lines
        self.top, self.bottom = 0, lines - 1
        self.x, self.y = min(self.x, columns), min(max(self.y, 0), lines - 1)
        self.dirty.clear()
        self.touch(0, lines)

    def _change_width(self, columns: int, lines: int) -> None:
        """Change the width; the main screen gets `lines` rows."""
        before, saved = self.columns, self.saved_hidden
        if self.hidden is None:
            main, x, y = self.rows, self.x, self.y
        else:
            main, x, y = self.hidden, *((saved.x, saved.y) if saved else (0, self.lines - 1))
            _fit(self.rows, columns, before)
            self.x = min(self.x, columns - 1)
        new = _refitted(main, (x, y), (columns, lines), before)
        self.retire(main[: new.gone])
        if columns < before and len(self.history):
            self.history_columns = max(self.history_columns, before)
        self.columns = columns
        self.retire(new.parts)
        if self.hidden is None:
            self.rows, self.x, self.y = new.rows, new.x, new.y
            return
        self.hidden = new.rows
        if saved:
            self.saved_hidden = saved._replace(x=new.x, y=new.y)

    def _resize_height(self, lines: int) -> None:
        """Resize both screens to `lines` rows, keeping lines that leave the top of the main one."""
        if self.hidden is None:
            removed = self._rows_to_go(self.rows, self.y, lines)
            self.retire(self.rows[:removed])
        else:
            removed = max(0, min(self.y + 1 - lines, len(self.rows) - lines))
            main_y = self.saved_hidden.y if self.saved_hidden else len(self.hidden) - 1
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


def _refitted(
    rows: Sequence[Row], cursor: tuple[int, int], size: tuple[int, int], before: int
) -> _Refitted:
    """Join and divide rows of `before` columns for a screen of another size.

    Only as many rows as fit are looked at, from the last one with text or the cursor upwards.
    """
    columns, lines = size
    x, y = cursor[0], min(cursor[1], len(rows) - 1)
    blank = sum(1 for _ in takewhile(lambda row: row.is_blank(before), reversed(rows[y + 1 :])))
    upwards: list[Row] = []
    new_x, rows_below = min(x, columns - 1), lines - 1
    index = len(rows) - blank
    while index > 0 and len(upwards) < lines:
        end, index = index, _first_of_line(rows, index - 1, lines * columns)
        row, offsets = _joined(rows[index:end], before)
        width = offsets[-1] + before
        has_cursor = index <= y < end
        at = offsets[y - index] + x if has_cursor else 0
        starts, parts = row.divided(columns, width, min(at, width))
        if has_cursor:
            part = bisect_right(starts, at) - 1
            new_x = min(at - starts[part], columns)
            rows_below = len(upwards) + len(parts) - 1 - part
        upwards += reversed(parts)
    kept = upwards[::-1]
    too_many = max(0, len(kept) - lines)
    new_y = max(0, len(kept) - too_many - 1 - rows_below)
    return _Refitted(index, kept[:too_many], _of_height(kept[too_many:], lines), new_x, new_y)


def _first_of_line(rows: Sequence[Row], last: int, enough: int) -> int:
    """Return the first row of the line that ends in row `last`, or one after it, if the rows from
    there have `enough` cells."""
    first, cells = last, 0
    while first and rows[first - 1].continues and cells < enough:
        first -= 1
        cells += rows[first].continues
    return first


def _joined(rows: Sequence[Row], columns: int) -> tuple[Row, list[int]]:
    """Join the rows of one line.

    Returns:
        The line, and the cell at which each row starts in it.
    """
    if len(rows) == 1:
        return rows[0], [0]
    cells: list[str] = []
    styles: list[CellStyle] = []
    offsets: list[int] = []
    for row in rows:
        offsets.append(len(cells))
        row.read(columns)
        # A wide character that had no room in the last cell left it blank.
        is_cut = row is not rows[-1] and not "".join(row.cells[row.continues :]).strip(" ")
        end = row.continues if is_cut else columns
        cells += row.cells[:end]
        styles += row.styles[:end]
        if columns == 1 and row is not rows[-1] and width_of(cells[-1][:1]) == 2:
            cells.append("")  # on a screen of one column, it filled one cell
            styles.append(styles[-1])
    return Row.of(cells, styles), offsets


def _fit(rows: Sequence[Row], columns: int, before: int) -> None:
    for row in rows:
        row.fit(columns, before)


def _of_height(rows: list[Row], lines: int) -> list[Row]:
    if len(rows) >= lines:
        rows[lines - 1].continues = 0
    return [*rows[:lines], *(Row() for _ in range(lines - len(rows)))]


def limited(number: int) -> int:
    """Return a number of columns or lines that is within the limits."""
    return min(max(1, number), MAX_SIZE)
