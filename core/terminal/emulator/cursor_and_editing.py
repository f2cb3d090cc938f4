"""Control sequences that move the cursor, erase, insert and delete (ECMA-48 8.3, DEC STD 070).

Every function receives the sequence's numbers, at least one of them; an omitted number is 0.
"""

from __future__ import annotations

from collections.abc import Callable

from sandbox_tui.core.terminal.emulator.grid import Grid, part_wide
from sandbox_tui.core.terminal.emulator.sgr import BACKGROUND, PROTECTED

Numbers = tuple[int, ...]

_Erase = Callable[[int, int, int], None]
"""Blanks cells of a line, given its row, the first cell, and the end (exclusive)."""


class Editing(Grid):
    """The functions of a terminal's cursor and editing keys."""

    # --- moving

    def go(self, x: int, y: int) -> None:
        """Go to a position; in origin mode, rows count from the top margin."""
        self.y = min(y + self.top, self.bottom) if self.origin else min(y, self.lines - 1)
        self.x = min(x, self.columns - 1)

    def move_to(self, place: tuple[int, int]) -> None:
        """CUP, HVP; `place` is (row, column), counted from 0."""
        y, x = place
        if self.origin:
            y = min(y + self.top, self.bottom)
        self.y = y if y < self.lines else self.lines - 1
        self.x = x if x < self.columns else self.columns - 1

    def move_up(self, numbers: Numbers) -> None:
        """CUU."""
        edge = self.top if self.y >= self.top else 0
        self.y = max(self.y - (numbers[0] or 1), edge)
        self.x = min(self.x, self.columns - 1)

    def move_down(self, numbers: Numbers) -> None:
        """CUD, VPR."""
        edge = self.bottom if self.y <= self.bottom else self.lines - 1
        self.y = min(self.y + (numbers[0] or 1), edge)
        self.x = min(self.x, self.columns - 1)

    def move_right(self, numbers: Numbers) -> None:
        """CUF, HPR."""
        self.x = min(self.x + (numbers[0] or 1), self.columns - 1)

    def move_left(self, numbers: Numbers) -> None:
        """CUB."""
        self.x = max(min(self.x, self.columns - 1) - (numbers[0] or 1), 0)

    def next_line(self, numbers: Numbers) -> None:
        """CNL."""
        self.move_down(numbers)
        self.x = 0

    def previous_line(self, numbers: Numbers) -> None:
        """CPL."""
        self.move_up(numbers)
        self.x = 0

    def move_to_column(self, numbers: Numbers) -> None:
        """CHA, HPA."""
        self.x = min((numbers[0] or 1) - 1, self.columns - 1)

    def move_to_row(self, numbers: Numbers) -> None:
        """VPA."""
        self.go(self.x, (numbers[0] or 1) - 1)

    def tab_forward(self, numbers: Numbers) -> None:
        """CHT."""
        stops = sorted(stop for stop in self.tab_stops if stop > self.x)
        count = numbers[0] or 1
        self.x = stops[count - 1] if count <= len(stops) else self.columns - 1

    def tab_back(self, numbers: Numbers) -> None:
        """CBT."""
        stops = sorted((stop for stop in self.tab_stops if stop < self.x), reverse=True)
        count = numbers[0] or 1
        self.x = stops[count - 1] if count <= len(stops) else 0

    def tab(self, _: None = None) -> None:
        """HT."""
        stops = (stop for stop in self.tab_stops if stop > self.x)
        self.x = min(stops, default=self.columns - 1)

    def clear_tabs(self, numbers: Numbers) -> None:
        """TBC."""
        if numbers[0] == 3:
            self.tab_stops.clear()
        elif numbers[0] == 0:
            self.tab_stops.discard(self.x)

    # --- erasing

    def protect(self, numbers: Numbers) -> None:
        """DECSCA (VT510 manual): whether selective erasing keeps text printed from now on."""
        if numbers[0] == 1:
            self.style |= PROTECTED
        elif numbers[0] in (0, 2):
            self.style &= ~PROTECTED
        self.refresh_plain()

    def erase_line_part(self, numbers: Numbers) -> None:
        """EL."""
        self._erase_in_line(numbers[0], self.erase)

    def erase_unprotected_in_line(self, numbers: Numbers) -> None:
        """DECSEL."""
        self._erase_in_line(numbers[0], self.erase_unprotected)

    def _erase_in_line(self, what: int, erase: _Erase) -> None:
        """Erase from the cursor on (0), up to it (1), or all (2).

        A cursor with a pending wrap is after the last column: nothing is right of it, and it still
        wraps. Alacritty, VTE, kitty and avt behave like this; xterm and DEC STD 070 erase the last
        column, which loses a character from programs that end each line with EL.
        """
        x, columns = self.x, self.columns
        if what == 0:
            if x < columns:
                erase(self.y, x, columns)
        elif what == 1:
            erase(self.y, 0, min(x + 1, columns))
        elif what == 2:
            erase(self.y, 0, columns)

    def erase_display_part(self, numbers: Numbers) -> None:
        """ED; 3 is xterm's extension: scrollback."""
        self._erase_in_display(numbers[0], self.erase)

    def erase_unprotected_in_display(self, numbers: Numbers) -> None:
        """DECSED; 3 is xterm's extension: scrollback, which cannot be protected."""
        self._erase_in_display(numbers[0], self.erase_unprotected)

    def _erase_in_display(self, what: int, erase: _Erase) -> None:
        if what == 3:
            self.history.clear()
        if what > 2:
            return
        rows = {0: range(self.y + 1, self.lines), 1: range(self.y), 2: range(self.lines)}[what]
        if what < 2:
            self._erase_in_line(what, erase)
        for y in rows:
            erase(y, 0, self.columns)

    def blank_characters(self, numbers: Numbers) -> None:
        """ECH."""
        x = min(self.x, self.columns - 1)
        self.erase(self.y, x, min(x + (numbers[0] or 1), self.columns))

    # --- inserting and deleting

    def open_characters(self, numbers: Numbers) -> None:
        """ICH; a cursor with a pending wrap returns to the last column, as in xterm."""
        self.x = x = min(self.x, self.columns - 1)
        count = min(numbers[0] or 1, self.columns - x)
        self.insert_cells(self.rows[self.y].read(self.columns), x, count, self.style & BACKGROUND)
        self.dirty.add(self.y)

    def remove_characters(self, numbers: Numbers) -> None:
        """DCH; a cursor with a pending wrap returns to the last column, as in xterm."""
        self.x = x = min(self.x, self.columns - 1)
        count = min(numbers[0] or 1, self.columns - x)
        row = self.rows[self.y].read(self.columns)
        row.continues = 0
        part_wide(row.cells, x)
        part_wide(row.cells, x + count)
        del row.cells[x : x + count]
        del row.styles[x : x + count]
        row.cells += [" "] * count
        row.styles += [self.style & BACKGROUND] * count
        self.dirty.add(self.y)

    def open_lines(self, numbers: Numbers) -> None:
        """IL."""
        if self.top <= self.y <= self.bottom:
            self.scroll_rows(False, self.y, numbers[0] or 1)
            self.x = 0

    def remove_lines(self, numbers: Numbers) -> None:
        """DL."""
        if self.top <= self.y <= self.bottom:
            self.scroll_rows(True, self.y, numbers[0] or 1)
            self.x = 0

    def scroll_up(self, numbers: Numbers) -> None:
        """SU."""
        self.scroll_rows(True, self.top, numbers[0] or 1)

    def scroll_down(self, numbers: Numbers) -> None:
        """SD; with more numbers it is xterm's highlight tracking, which is not supported."""
        if len(numbers) == 1:
            self.scroll_rows(False, self.top, numbers[0] or 1)

    def repeat(self, numbers: Numbers) -> None:
        """REP: repeat the last character, at most for one line."""
        if self.printed:
            self.write(self.printed[-1] * min(numbers[0] or 1, self.columns))
