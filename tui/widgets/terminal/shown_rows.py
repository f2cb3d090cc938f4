"""Which part of which line each row of a terminal view shows.

Lines that are longer than the view are wrapped: those of a recorded terminal, and those that a live
one printed before it became narrower. A view of wrapped lines still scrolls by whole lines: its
first row is the beginning of a line, so that only the lines in view have to be looked at.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from sandbox_tui.tui.widgets.terminal.used_rows import used_rows

if TYPE_CHECKING:
    from sandbox_tui.tui.widgets.terminal.scrolling import TerminalScroll


class Row(NamedTuple):
    """A row of a view.

    Attributes:
        line_index: of the line; 0 is the oldest line kept.
        left: first column of the terminal in this row.
        end: column after the last one, if the line is wrapped; None if it may continue beyond the
            edge of the view.
    """

    line_index: int
    left: int
    end: int | None = None


def row_starts(text: str, width: int) -> list[int]:
    """Return the columns at which the rows of a wrapped line begin; wide characters stay whole."""
    text = text.rstrip()
    if text.isascii():
        return list(range(0, len(text), width)) or [0]
    starts, column = [0], 0
    for character in text:
        cells = cell_len(character)
        if column + cells > starts[-1] + width:
            starts.append(column)
        column += cells
    return starts


class ShownRows:
    """The rows of one view.

    Attributes:
        wanted: whether the user wants long lines to be wrapped; otherwise the view scrolls
            sideways.
    """

    def __init__(self, view: TerminalScroll) -> None:
        self._view = view
        self.wanted = True

    @property
    def wrapped(self) -> bool:
        """Whether long lines are wrapped; never those of a full-screen program."""
        return self.wanted and self.can_be_wrapped

    @property
    def can_be_wrapped(self) -> bool:
        """Whether lines may be longer than the view, and are not those of a full-screen program."""
        view = self._view
        return view.columns > view.visible_columns and not view.emulator.in_alternate

    def at(self, places: range) -> list[Row]:
        """Return the rows at these places, counted from the top of the view."""
        left, top = self._view.scroll_offset
        if not self.wrapped:
            return [Row(top + place, left) for place in places]
        rows: list[Row] = []
        for index in count(top):
            if len(rows) >= places.stop:
                break
            rows += self._rows_of(index)
        return rows[places.start : places.stop]

    def last_line(self) -> int:
        """Return the index of the last line in view."""
        return self.at(range(max(1, self._view.visible_lines)))[-1].line_index

    def first_line(self, last: int, room: int) -> int:
        """Return the first line to show, so that `last` is in view.

        Args:
            last: index of the line that shall be the last one.
            room: number of rows.
        """
        if not self.wrapped:
            return max(0, last - room + 1)
        first = last
        room -= len(self._rows_of(last))
        while first > 0 and (room := room - len(self._rows_of(first - 1))) >= 0:
            first -= 1
        return first

    def size(self, visible: int) -> tuple[int, int]:
        """Return the columns and rows to scroll through, given the height of the view."""
        emulator, is_fitted = self._view.emulator, self._view.is_fitted
        above = emulator.history_size
        if self.wrapped:
            last = above + (emulator.lines if is_fitted else used_rows(emulator, 0)) - 1
            return self._width, self.first_line(last, visible) + visible
        rows = emulator.lines if is_fitted else used_rows(emulator, visible)
        return max(emulator.columns, self._view.columns), above + rows

    @property
    def _width(self) -> int:
        return max(2, self._view.visible_columns)

    def _rows_of(self, index: int) -> list[Row]:
        emulator, width = self._view.emulator, self._width
        if index >= emulator.history_size + emulator.lines:
            return [Row(index, 0, width)]
        starts = row_starts(emulator.text(index), width)
        ends = [*starts[1:], starts[-1] + width]
        return [Row(index, start, end) for start, end in zip(starts, ends, strict=True)]
