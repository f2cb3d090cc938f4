"""A cache of drawn terminal lines."""

from __future__ import annotations

from collections.abc import Iterable

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from sandbox_tui.core.terminal.base import Terminal as Emulator
from sandbox_tui.tui.widgets.terminal.drawing import Colours, strip_of


class LineCache:
    """Draws and caches the lines of a view.

    Args:
        colours: the colours to draw with.
        left: first visible column of the terminal.
        width: width of the view in cells.
        uncovered: cells of the view that no scrollbar covers.
        mark: style of the sign that shows that a line continues beyond an edge.

    Attributes:
        colours: as above.
        mark: as above, on the base style.
    """

    def __init__(
        self, colours: Colours, left: int, width: int, *, uncovered: int, mark: Style
    ) -> None:
        self.colours = colours
        self.mark = colours.base + mark
        self._left = left
        self._width = width
        self._uncovered = uncovered
        self._strips: dict[int, Strip] = {}

    def forget(self, rows: Iterable[int]) -> None:
        """Drop screen rows that have changed."""
        for row in rows:
            self._strips.pop(row, None)

    def whole(self, emulator: Emulator, index: int) -> Strip:
        """Return a complete line; index 0 is the oldest line kept."""
        return strip_of(emulator.row(index), self.colours)

    def in_view(self, strip: Strip) -> Strip:
        """Return the visible part of a line, with each character in its column."""
        return strip.crop_extend(self._left, self._left + self._width, self.colours.base)

    def with_edges(self, strip: Strip) -> Strip:
        """Return the visible part of a line, with a sign at each edge beyond which it continues."""
        seen, end = self.in_view(strip), self._left + self._uncovered
        if strip.cell_length > end and strip.crop(end).text.strip():
            last = self._uncovered - 1
            covered = Strip.blank(self._width - self._uncovered, self.colours.base)
            seen = Strip.join([seen.crop(0, last), self._sign("›"), covered])
        if self._left and strip.crop(0, self._left).text.strip():
            seen = Strip.join([self._sign("‹"), seen.crop(1)])
        return seen

    def _sign(self, sign: str) -> Strip:
        return Strip([Segment(sign, self.mark)], 1)

    def plain(self, emulator: Emulator, index: int) -> Strip:
        """Return the visible part of a line without highlights; blank below the last line."""
        row = index - emulator.history_size
        strip = self._strips.get(row)
        if strip is not None:
            return strip
        if row >= emulator.lines:
            return Strip.blank(self._width, self.colours.base)
        strip = self.with_edges(self.whole(emulator, index))
        if row >= 0:
            self._strips[row] = strip
        return strip
