"""The cells of a screen: printing into them, moving lines, scrolling (DEC STD 070, xterm)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from sandbox_tui.core.terminal.emulator.rows import NOT_ONE_WIDE, Row, combine, shown, width_of
from sandbox_tui.core.terminal.emulator.scrollback import History, marked
from sandbox_tui.core.terminal.emulator.sgr import (
    BACKGROUND,
    PLAIN,
    PROTECTED,
    CellStyle,
    sequence_of,
)

_SPECIAL_GRAPHICS = str.maketrans(
    "_`abcdefghijklmnopqrstuvwxyz{|}~", " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"
)
"""DEC Special Graphics (VT510 manual, table 5-13), in the Unicode characters that xterm shows."""


MIN_BULK_ROWS = 4
"""Minimum number of rows of unbroken text that are scrolled in together."""


class Saved(NamedTuple):
    """The state saved by DECSC; each of the two screens has its own."""

    x: int
    y: int
    style: CellStyle
    origin: bool
    wraps: bool
    charsets: tuple[bool, bool]
    shifted: bool


class Grid:
    """The state of a screen, and printing into it.

    Attributes:
        rows: the lines of the current screen.
        hidden: the lines of the main screen while the alternate one is shown, else None.
        top, bottom: margins, both inclusive.
        style: style of the text printed next.
        printed: the text printed last, for REP.
        wraps, inserts, origin, returns: DECAWM, IRM, DECOM, LNM.
        charsets, shifted: whether G0 and G1 are the graphics charset, and whether G1 is in use.
        saved, saved_hidden: cursor saved by DECSC on the current screen, and on the other.
    """

    columns: int
    lines: int
    x: int
    y: int
    history: History
    scrolled: int
    dirty: set[int]
    style: CellStyle

    def reset(self) -> None:
        """RIS: reset everything except scrollback."""
        self.x = self.y = 0
        self.top, self.bottom = 0, self.lines - 1
        self.style = PLAIN
        self.rows = [Row() for _ in range(self.lines)]
        self.hidden: list[Row] | None = None
        self.wraps, self.inserts, self.origin, self.returns = True, False, False, False
        self.charsets = (False, False)
        self.shifted = False
        self.plain = True
        self.printed = ""
        self.modes: set[int] = {7, 25, 1007}
        self.saved: Saved | None = None
        self.saved_hidden: Saved | None = None
        self.tab_stops = set(range(8, self.columns, 8))
        self.title = ""
        self.touch(0, self.lines)

    def touch(self, start: int, end: int) -> None:
        """Mark these rows as changed."""
        if len(self.dirty) < self.lines:
            self.dirty.update(range(start, end))

    def refresh_plain(self) -> None:
        """Set `plain`: whether text goes into cells unchanged."""
        protects = self.style & PROTECTED
        self.plain = not self.inserts and not protects and not self.charsets[self.shifted]

    # --- printing

    def write(self, text: str) -> None:
        """Print text at the cursor."""
        if not self.plain or not (text.isascii() or not NOT_ONE_WIDE(text)):
            text = shown(text)
            if text:
                self.printed = text
                self._write_any(text)
            return
        self.printed = text
        x, count = self.x, len(text)
        end = x + count
        columns = self.columns
        if end > columns:
            self._write_wrapping(text)
            return
        y = self.y
        self.x = end
        self.dirty.add(y)
        row = self.rows[y]
        if end == columns:
            row.continues = 0
        if row.raw is not None:
            if row.print_after(x, text, self.style):
                return
            row.read(columns)
        cells = row.cells
        if not cells[x]:
            cells[x - 1] = " "
        if end < columns and not cells[end]:
            cells[end] = " "
        if count == 1:
            cells[x] = text
            row.styles[x] = self.style
        else:
            cells[x:end] = text
            row.styles[x:end] = [self.style] * count

    def _write_any(self, text: str) -> None:
        """Print text that is wide, inserted, protected, or in the graphics charset."""
        if self.charsets[self.shifted]:
            text = text.translate(_SPECIAL_GRAPHICS)
        if not self.inserts and not NOT_ONE_WIDE(text):
            self._write_wrapping(text)
            return
        for char in text:
            self._write_char(char)

    def _write_wrapping(self, text: str) -> None:
        """Print narrow text that may not fit the line."""
        columns, at = self.columns, 0
        while at < len(text):
            if (
                len(text) - at > MIN_BULK_ROWS * columns
                and self.x >= columns
                and self._scrolls_whole_rows()
            ):
                self._wrap()
                whole = (len(text) - at - 1) // columns * columns
                begin = sequence_of(self.style) if self.style else ""
                pieces = range(at, at + whole, columns)
                taken = [begin + text[start : start + columns] for start in pieces]
                self.scroll_in(taken, [True] * len(taken))
                at += whole
                self.x = 0
            if self.x >= columns:
                if self.wraps:
                    self._wrap()
                else:
                    self.x = columns - 1
                    text = text[:at] + text[-1]
            piece = text[at : at + columns - self.x]
            end = self.x + len(piece)
            if self.x == 0 and end == columns and not self.style & PROTECTED:
                self.rows[self.y] = Row(piece, self.style)
            else:
                row = self.rows[self.y].read(columns)
                if end == columns:
                    row.continues = 0
                part_wide(row.cells, self.x)
                part_wide(row.cells, end)
                row.cells[self.x : end] = piece
                row.styles[self.x : end] = [self.style] * len(piece)
            self.dirty.add(self.y)
            self.x = end
            at += len(piece)

    def _scrolls_whole_rows(self) -> bool:
        """Return whether text at the end of the last row simply wraps by scrolling whole rows."""
        return (
            self.wraps
            and self.lines > 1
            and self.y == self.bottom == self.lines - 1
            and self.top == 0
            and not self.style & (BACKGROUND | PROTECTED)
        )

    def _write_char(self, char: str) -> None:
        width = width_of(char)
        if width <= 0:
            if self.x > 0:
                combine(self.rows[self.y].read(self.columns).cells, self.x - 1, char)
                self.dirty.add(self.y)
            return
        width = min(width, self.columns)
        if self.x + width > self.columns:
            if self.wraps:
                self._wrap()
            else:
                self.x = self.columns - width
        row, x = self.rows[self.y].read(self.columns), self.x
        if self.inserts:
            self.insert_cells(row, x, width, self.style)
        part_wide(row.cells, x)
        part_wide(row.cells, x + width)
        row.cells[x : x + width] = (char, "")[:width]
        row.styles[x : x + width] = [self.style] * width
        self.x = x + width
        if self.x == self.columns:
            row.continues = 0
        self.dirty.add(self.y)

    def _wrap(self) -> None:
        """Continue the line in the next row."""
        if self.y < self.lines - 1 or self.y == self.bottom:
            self.rows[self.y].continues = self.x
        self.x = 0
        self.line_feed()

    def insert_cells(self, row: Row, x: int, count: int, style: CellStyle) -> None:
        """Shift cells to the right; cells shifted over the edge are lost."""
        cells, columns = row.cells, self.columns
        row.continues = 0
        part_wide(cells, x)
        cells[x:x] = [" "] * count
        row.styles[x:x] = [style] * count
        part_wide(cells, columns)
        del cells[columns:]
        del row.styles[columns:]

    # --- lines

    def newline(self, _: None = None) -> None:
        """CR LF."""
        self.x = 0
        if self.y == self.bottom:
            self._scroll_up()
        elif self.y < self.lines - 1:
            self.y += 1

    def line_feed(self, _: None = None) -> None:
        """IND: down, scrolling at the bottom margin."""
        if self.y == self.bottom:
            self._scroll_up()
        elif self.y < self.lines - 1:
            self.y += 1

    def reverse_line_feed(self, _: None = None) -> None:
        """RI: up, scrolling at the top margin."""
        if self.y == self.top:
            row = self.rows.pop(self.bottom)
            row.clear(self.style & BACKGROUND)
            self.rows.insert(self.top, row)
            self._end_lines(self.top - 1, self.bottom)
            self.touch(self.top, self.bottom + 1)
        elif self.y > 0:
            self.y -= 1

    def _scroll_up(self) -> None:
        row = self.rows.pop(self.top)
        if self.top == 0 and self.hidden is None:
            self.retire([row])
            row = self.blank_row()
        else:
            row.clear(self.style & BACKGROUND)
        self.rows.insert(self.bottom, row)
        self.touch(self.top, self.bottom + 1)

    def retire(self, rows: list[Row]) -> None:
        """Move rows from the top of the main screen to scrollback."""
        for row in rows:
            self.history.append(marked(row.as_raw(self.columns), row.continues))
        self.scrolled += len(rows)

    def scroll_in(self, taken: list[str], wrapped: Sequence[bool] = ()) -> None:
        """Scroll whole lines in, starting at the blank bottom row.

        Args:
            taken: the lines, none longer than a row.
            wrapped: for each of them, whether it fills its row and continues in the next one; if
                empty, none does.
        """
        count, staying, columns = len(taken), self.lines - 1, self.columns
        leaving, old = min(count, staying), self.rows
        if self.hidden is None:
            self.history.extend(
                [marked(row.as_raw(columns), row.continues) for row in old[:leaving]]
            )
            over = taken[:-staying]
            if wrapped:
                pairs = zip(over, wrapped, strict=False)
                over = [marked(line, columns * continues) for line, continues in pairs]
            self.history.extend(over)
            self.scrolled += count
        fresh = [Row(line) for line in taken[-staying:]]
        for row, continues in zip(fresh, wrapped[-staying:], strict=False):
            row.continues = columns * continues
        self.rows = [*old[leaving:staying], *fresh, Row()]
        self.touch(0, self.lines)

    def scroll_rows(self, upwards: bool, first: int, count: int) -> None:
        """Move the lines from `first` to the bottom margin (SU, SD, IL, DL)."""
        count = min(count, self.bottom - first + 1)
        fresh = [self.blank_row() for _ in range(count)]
        inner = self.rows[first : self.bottom + 1]
        moved = inner[count:] + fresh if upwards else fresh + inner[: len(inner) - count]
        self.rows[first : self.bottom + 1] = moved
        self._end_lines(first - 1, self.bottom - count if upwards else self.bottom)
        self.touch(first, self.bottom + 1)

    def _end_lines(self, *ys: int) -> None:
        """Note that what followed these rows has moved away."""
        for y in ys:
            if y >= 0:
                self.rows[y].continues = 0

    def blank_row(self) -> Row:
        """Return an erased line."""
        return Row("", PLAIN, self.style & BACKGROUND)

    def erase(self, y: int, start: int, end: int) -> None:
        """Blank cells of a line in the current background (BCE)."""
        row, columns, blank = self.rows[y], self.columns, self.style & BACKGROUND
        self.dirty.add(y)
        if end >= columns:
            row.continues = 0
            if start == 0:
                row.clear(blank)
                return
            if row.is_blank_from(start, blank):
                return
        cells = row.read(columns).cells
        part_wide(cells, start)
        part_wide(cells, end)
        cells[start:end] = [" "] * (end - start)
        row.styles[start:end] = [blank] * (end - start)

    def erase_unprotected(self, y: int, start: int, end: int) -> None:
        """Blank cells like `erase`, except for characters protected by DECSCA."""
        row = self.rows[y]
        if row.raw is not None:
            self.erase(y, start, end)
            return
        styles, x = row.styles[start:end], start
        for protected, cells in groupby(styles, PROTECTED.__and__):
            first, x = x, x + len(list(cells))
            if not protected:
                self.erase(y, first, x)


def part_wide(cells: list[str], x: int) -> None:
    """Blank both halves of a wide character that a write at `x` would split."""
    if 0 < x < len(cells) and not cells[x]:
        cells[x - 1] = cells[x] = " "
