"""A cache of drawn terminal lines."""

from __future__ import annotations

from collections.abc import Iterable

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from sandbox_tui.core.terminal.base import Terminal as Emulator
from sandbox_tui.tui.widgets.terminal.drawing import Colours, strip_of
from sandbox_tui.tui.widgets.terminal.shown_rows import Row


class LineCache:
    """Draws and caches the lines of a view.

    Args:
        colours: the colours to draw with.
        width: width of the view in cells.
        uncovered: cells of the view that no scrollbar covers.
        mark: style of the sign that shows that a line continues beyond an edge.

    Attributes:
        colours: as above.
        mark: as above, on the base style.
    """

    def __init__(self, colours: Colours, width: int, *, uncovered: int, mark: Style) -> None:
        self.colours = colours
        self.mark = colours.base + mark
        self._width = width
        self._uncovered = uncovered
        self._strips: dict[int, dict[Row, Strip]] = {}

    def forget(self, lines: Iterable[int]) -> None:
        """Drop lines of the screen that have changed."""
        for line in lines:
            self._strips.pop(line, None)

    def whole(self, emulator: Emulator, index: int) -> Strip:
        """Return a complete line; index 0 is the oldest line kept."""
        return strip_of(emulator.row(index), self.colours)

    def in_view(self, strip: Strip, row: Row) -> Strip:
        """Return the part of a line that a row shows, with each character in its column."""
        if row.end is not None:
            part = strip.crop_extend(row.left, row.end, self.colours.base)
            return part.extend_cell_length(self._width, self.colours.base)
        return strip.crop_extend(row.left, row.left + self._width, self.colours.base)

    def with_edges(self, strip: Strip, row: Row) -> Strip:
        """Return the part of a line that a row shows, with a sign at each edge beyond which it
        continues."""
        seen, end = self.in_view(strip, row), row.left + self._uncovered
        if row.end is not None:
            return seen
        if strip.cell_length > end and strip.crop(end).text.strip():
            last = self._uncovered - 1
            covered = Strip.blank(self._width - self._uncovered, self.colours.base)
            seen = Strip.join([seen.crop(0, last), self._sign("›"), covered])
        if row.left and strip.crop(0, row.left).text.strip():
            seen = Strip.join([self._sign("‹"), seen.crop(1)])
        return seen

    def _sign(self, sign: str) -> Strip:
        return Strip([Segment(sign, self.mark)], 1)

    def plain(self, emulator: Emulator, row: Row) -> Strip:
        """Return a row without highlights; blank below the last line."""
        line = row.line_index - emulator.history_size
        strip = self._strips.get(line, {}).get(row)
        if strip is not None:
            return strip
        if line >= emulator.lines:
            return Strip.blank(self._width, self.colours.base)
        strip = self.with_edges(self.whole(emulator, row.line_index), row)
        if line >= 0:
            self._strips.setdefault(line, {})[row] = strip
        return strip
