"""What control characters and sequences do to a screen (ECMA-48, DEC STD 070, xterm ctlseqs)."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import pyte.charsets

from .attributes import DEFAULT, Attributes
from .rows import Kept, Row, combine, width_of
from .tokens import MAYBE_NOT_ONE_WIDE

MOST = 9999
"""Larger numbers in sequences mean no more than this."""

MOST_ANSWERS = 64
_LINE_DRAWING = dict(enumerate(pyte.charsets.VT100_MAP))


class Saved(NamedTuple):
    """What DECSC keeps."""

    x: int
    y: int
    look: Attributes
    origin: bool
    wraps: bool
    charsets: tuple[bool, bool]
    shifted: bool


class Commands:
    """The state of a screen and everything that changes it.

    Attributes:
        rows: of the screen that is shown; `alternate` the main ones while the other screen is.
        top, bottom: margins, both included.
        look: in which text is written.
    """

    columns: int
    lines: int
    history: deque[Kept]
    scrolled: int
    dirty: set[int]
    answers: list[str]

    def reset(self) -> None:
        """RIS."""
        self.x = self.y = 0
        self.top, self.bottom = 0, self.lines - 1
        self.look = DEFAULT
        self.rows = [Row.blank(self.columns) for _ in range(self.lines)]
        self.alternate: list[Row] | None = None
        self.wraps, self.inserts, self.origin = True, False, False
        self.modes: set[int] = {7, 25}
        self.saved: Saved | None = None
        self.tab_stops = set(range(8, self.columns, 8))
        self.title = ""
        self.last = " "
        self.charsets = (False, False)
        self.shifted = False
        self.dirty.update(range(self.lines))

    @property
    def draws_lines(self) -> bool:
        """Whether letters stand for line drawing."""
        return self.charsets[self.shifted]

    # --- text

    def write(self, text: str) -> None:
        """Print text at the cursor."""
        self.last = text[-1]
        if self.draws_lines:
            text = text.translate(_LINE_DRAWING)
        if text.isascii() or not MAYBE_NOT_ONE_WIDE(text):
            self._write_narrow(text)
        else:
            for char in text:
                self._write_char(char)

    def _write_narrow(self, text: str) -> None:
        columns, at = self.columns, 0
        while at < len(text):
            if self.x >= columns:
                if self.wraps:
                    self.x = 0
                    self.line_feed()
                else:
                    self.x = columns - 1
                    text = text[:at] + text[-1]
            count = min(len(text) - at, columns - self.x)
            piece = text[at : at + count]
            if self.x == 0 and count == columns:
                self.rows[self.y] = Row.unread(piece, self.look)
            else:
                self._put(piece, count)
            self.dirty.add(self.y)
            self.x += count
            at += count

    def _put(self, piece: str, count: int) -> None:
        row, x = self.rows[self.y].read(self.columns), self.x
        cells, looks = row.cells, row.looks
        if self.inserts:
            self._unpair(cells, x)
            cells[x:x] = piece
            looks[x:x] = [self.look] * count
            self._cut(row)
            return
        self._unpair(cells, x)
        self._unpair(cells, x + count)
        cells[x : x + count] = piece
        looks[x : x + count] = [self.look] * count

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
                self.x = 0
                self.line_feed()
            else:
                self.x = self.columns - width
        row, x = self.rows[self.y].read(self.columns), self.x
        if self.inserts:
            self._unpair(row.cells, x)
            row.cells[x:x] = [" "] * width
            row.looks[x:x] = [self.look] * width
            self._cut(row)
        self._unpair(row.cells, x)
        self._unpair(row.cells, x + width)
        row.cells[x : x + width] = [char, ""][:width]
        row.looks[x : x + width] = [self.look] * width
        self.x = x + width
        self.dirty.add(self.y)

    def _unpair(self, cells: list[str], x: int) -> None:
        """What begins at `x` cuts a wide character in two: both halves become blank."""
        if 0 < x < len(cells) and cells[x] == "":
            cells[x - 1] = cells[x] = " "

    def _cut(self, row: Row) -> None:
        """Drop what was pushed over the right edge."""
        if len(row.cells) > self.columns and row.cells[self.columns] == "":
            row.cells[self.columns - 1] = " "
        del row.cells[self.columns :]
        del row.looks[self.columns :]

    # --- lines

    def line_feed(self) -> None:
        """IND: down, scrolling at the bottom margin."""
        if self.y == self.bottom:
            self._scroll_up()
        elif self.y < self.lines - 1:
            self.y += 1

    def _scroll_up(self) -> None:
        row = self.rows.pop(self.top)
        if self.top == 0 and self.alternate is None:
            self.history.append(row.kept())
            self.scrolled += 1
        self.rows.insert(self.bottom, self._erased_row())
        self.dirty.update(range(self.top, self.bottom + 1))

    def _reverse_line_feed(self) -> None:
        if self.y == self.top:
            self.rows.pop(self.bottom)
            self.rows.insert(self.top, self._erased_row())
            self.dirty.update(range(self.top, self.bottom + 1))
        elif self.y > 0:
            self.y -= 1

    def _erased_look(self) -> Attributes:
        """What erasing leaves: the background in force (BCE)."""
        return DEFAULT if self.look.bg == "default" else DEFAULT._replace(bg=self.look.bg)

    def _erased_row(self) -> Row:
        return Row.blank(self.columns, self._erased_look())

    def _erase(self, y: int, start: int, end: int) -> None:
        row = self.rows[y].read(self.columns)
        self._unpair(row.cells, start)
        self._unpair(row.cells, end)
        row.cells[start:end] = [" "] * (end - start)
        row.looks[start:end] = [self._erased_look()] * (end - start)
        self.dirty.add(y)

    # --- controls and escapes

    def control(self, char: str) -> None:
        """A C0 or C1 control."""
        match char:
            case "\n" | "\x0b" | "\x0c" | "\x84":
                self.line_feed()
            case "\r":
                self.x = 0
            case "\b":
                self.x = max(0, min(self.x, self.columns - 1) - 1)
            case "\t":
                stops = [stop for stop in self.tab_stops if stop > self.x]
                self.x = min(stops, default=self.columns - 1)
            case "\x0e" | "\x0f":
                self.shifted = char == "\x0e"
            case "\x85":
                self.x = 0
                self.line_feed()
            case "\x88":
                self.tab_stops.add(self.x)
            case "\x8d":
                self._reverse_line_feed()
            case _:
                pass

    def escape(self, between: str, final: str) -> None:
        """ESC, intermediates, a final character."""
        if between in ("(", ")"):
            g0, g1 = self.charsets
            self.charsets = (final == "0", g1) if between == "(" else (g0, final == "0")
        elif between == "#" and final == "8":
            self.rows = [Row.unread("E" * self.columns) for _ in range(self.lines)]
            self.dirty.update(range(self.lines))
        elif not between:
            self._plain_escape(final)

    def _plain_escape(self, final: str) -> None:
        match final:
            case "7":
                self._save()
            case "8":
                self._restore()
            case "D":
                self.line_feed()
            case "E":
                self.x = 0
                self.line_feed()
            case "H":
                self.tab_stops.add(self.x)
            case "M":
                self._reverse_line_feed()
            case "Z":
                self._answer("\x1b[?62;22c")
            case "c":
                self.reset()
            case _:
                pass

    def operating_system_command(self, text: str) -> None:
        """OSC: only titles mean something to us; the number is taken whole."""
        number, _, rest = text.partition(";")
        if number in ("0", "2"):
            self.title = rest[:1024]

    def _save(self) -> None:
        self.saved = Saved(
            self.x, self.y, self.look, self.origin, self.wraps, self.charsets, self.shifted
        )

    def _restore(self) -> None:
        if self.saved is None:
            self.x = self.y = 0
            return
        saved = self.saved
        self.x, self.y = min(saved.x, self.columns), min(saved.y, self.lines - 1)
        self.look, self.origin, self.wraps = saved.look, saved.origin, saved.wraps
        self.charsets, self.shifted = saved.charsets, saved.shifted

    def _answer(self, text: str) -> None:
        if len(self.answers) < MOST_ANSWERS:
            self.answers.append(text)

    # --- control sequences

    def control_sequence(
        self, private: str, parameters: str, intermediate: str, final: str
    ) -> None:
        """CSI; one that is not known, or has a marker it should not have, does nothing."""
        if private or intermediate:
            self._private_sequence(private, parameters, intermediate, final)
            return
        numbers = [_number(field) for field in parameters.split(";")[:32]]
        first = numbers[0]
        count = min(max(first, 1), MOST)
        if final in "ABCDEFGade`Hf":
            self._move(final, count, numbers)
        elif final in "JKX":
            self._erase_sequence(final, first, count)
        elif final in "@PLMSTb":
            self._shift(final, count)
        else:
            self._set(final, numbers, count)

    def _move(self, final: str, count: int, numbers: list[int]) -> None:
        right, low = self.columns - 1, self.lines - 1
        x, y = min(self.x, right), self.y
        match final:
            case "H" | "f":
                column = min(max(numbers[1] if len(numbers) > 1 else 1, 1), MOST)
                self._go(column - 1, count - 1)
            case "A" | "F":
                self.y = max(y - count, self.top if y >= self.top else 0)
                self.x = 0 if final == "F" else x
            case "B" | "e" | "E":
                self.y = min(y + count, self.bottom if y <= self.bottom else low)
                self.x = 0 if final == "E" else x
            case "C" | "a":
                self.x = min(x + count, right)
            case "D":
                self.x = max(x - count, 0)
            case "G" | "`":
                self.x = min(count - 1, right)
            case _:
                self._go(x, count - 1)

    def _go(self, x: int, y: int) -> None:
        """Go to a place; in origin mode rows count from the top margin."""
        if self.origin:
            self.y = min(y + self.top, self.bottom)
        else:
            self.y = min(y, self.lines - 1)
        self.x = min(x, self.columns - 1)

    def _erase_sequence(self, final: str, what: int, count: int) -> None:
        x, y = min(self.x, self.columns - 1), self.y
        if final == "X":
            self._erase(y, x, min(x + count, self.columns))
        elif final == "K":
            self._erase_in_line(what, x, y)
        elif what == 3:
            self.history.clear()
        elif what < 3:
            self._erase_in_display(what, x, y)

    def _erase_in_line(self, what: int, x: int, y: int) -> None:
        spans = {0: (x, self.columns), 1: (0, x + 1), 2: (0, self.columns)}
        if what in spans:
            self._erase(y, *spans[what])

    def _erase_in_display(self, what: int, x: int, y: int) -> None:
        rows = {0: range(y + 1, self.lines), 1: range(y), 2: range(self.lines)}[what]
        if what < 2:
            self._erase_in_line(what, x, y)
        for number in rows:
            self.rows[number] = self._erased_row()
        self.dirty.update(rows)

    def _shift(self, final: str, count: int) -> None:
        if final == "b":
            self.write(self.last * min(count, self.columns * self.lines))
        elif final in "@P":
            self._shift_cells(final, count)
        elif final in "ST":
            self._shift_rows(final == "S", self.top, count)
        elif self.top <= self.y <= self.bottom:
            self._shift_rows(final == "M", self.y, count)
            self.x = 0

    def _shift_cells(self, final: str, count: int) -> None:
        x = min(self.x, self.columns - 1)
        row = self.rows[self.y].read(self.columns)
        count = min(count, self.columns - x)
        blanks, looks = [" "] * count, [self._erased_look()] * count
        self._unpair(row.cells, x)
        if final == "P":
            self._unpair(row.cells, x + count)
            del row.cells[x : x + count]
            del row.looks[x : x + count]
            row.cells += blanks
            row.looks += looks
        else:
            row.cells[x:x] = blanks
            row.looks[x:x] = looks
            self._cut(row)
        self.dirty.add(self.y)

    def _shift_rows(self, upwards: bool, first: int, count: int) -> None:
        count = min(count, self.bottom - first + 1)
        fresh = [self._erased_row() for _ in range(count)]
        inner = self.rows[first : self.bottom + 1]
        moved = inner[count:] + fresh if upwards else fresh + inner[: len(inner) - count]
        self.rows[first : self.bottom + 1] = moved
        self.dirty.update(range(first, self.bottom + 1))

    def _set(self, final: str, numbers: list[int], count: int) -> None:
        match final:
            case "r":
                self._set_margins(numbers)
            case "h" | "l":
                if 4 in numbers:
                    self.inserts = final == "h"
            case "s":
                self._save()
            case "u":
                self._restore()
            case "I":
                for _ in range(min(count, self.columns)):
                    self.control("\t")
            case "Z":
                for _ in range(min(count, self.columns)):
                    self.x = max((s for s in self.tab_stops if s < self.x), default=0)
            case "g":
                if numbers[0] == 3:
                    self.tab_stops.clear()
                elif numbers[0] == 0:
                    self.tab_stops.discard(self.x)
            case "n":
                if numbers[0] == 6:
                    y = self.y - self.top if self.origin else self.y
                    self._answer(f"\x1b[{y + 1};{min(self.x, self.columns - 1) + 1}R")
                elif numbers[0] == 5:
                    self._answer("\x1b[0n")
            case "c":
                self._answer("\x1b[?62;22c")
            case _:
                pass

    def _set_margins(self, numbers: list[int]) -> None:
        top = max(numbers[0], 1) - 1
        given = numbers[1] if len(numbers) > 1 else 0
        bottom = min(given or self.lines, self.lines) - 1
        if top < bottom:
            self.top, self.bottom = top, bottom
            self._go(0, 0)

    def _private_sequence(
        self, private: str, parameters: str, intermediate: str, final: str
    ) -> None:
        if private == "?" and final in "hl" and not intermediate:
            for field in parameters.split(";")[:32]:
                self._set_mode(_number(field), final == "h")
        elif private == "?" and final in "JK" and not intermediate:
            self.control_sequence("", parameters, "", final)
        elif private == "?" and intermediate == "$" and final == "p":
            mode = _number(parameters)
            self._answer(f"\x1b[?{mode};{1 if mode in self.modes else 2}$y")
        elif private == ">" and final == "c" and not intermediate:
            self._answer("\x1b[>1;10;0c")
        elif private == "?" and final == "n" and _number(parameters) == 6:
            self._answer(f"\x1b[?{self.y + 1};{min(self.x, self.columns - 1) + 1}R")
        elif not private and intermediate == "!" and final == "p":
            self._soft_reset()

    def _soft_reset(self) -> None:
        """DECSTR."""
        self.wraps, self.inserts, self.origin = True, False, False
        self.top, self.bottom = 0, self.lines - 1
        self.look = DEFAULT
        self.charsets, self.shifted = (False, False), False
        self.saved = None
        self.modes |= {7, 25}

    def _set_mode(self, mode: int, on: bool) -> None:
        if on:
            if len(self.modes) < 256:
                self.modes.add(mode)
        else:
            self.modes.discard(mode)
        if mode == 7:
            self.wraps = on
        elif mode == 6:
            self.origin = on
            self._go(0, 0)
        elif mode in (47, 1047, 1049):
            self._switch_screen(mode, on)
        elif mode == 1048:
            self._save() if on else self._restore()

    def _switch_screen(self, mode: int, to_alternate: bool) -> None:
        if to_alternate == (self.alternate is not None):
            return
        if to_alternate:
            if mode == 1049:
                self._save()
            self.alternate = self.rows
            self.rows = [Row.blank(self.columns) for _ in range(self.lines)]
        elif self.alternate is not None:
            self.rows, self.alternate = self.alternate, None
            if mode == 1049:
                self._restore()
        self.modes -= {47, 1047, 1049}
        if to_alternate:
            self.modes.add(mode)
        self.dirty.update(range(self.lines))


def _number(field: str) -> int:
    """A parameter's value; what is not a number, or has sub-parameters, counts as its first."""
    digits = field.partition(":")[0]
    return (
        min(int(digits), MOST)
        if digits.isdigit() and len(digits) < 10
        else (MOST if digits.isdigit() else 0)
    )
