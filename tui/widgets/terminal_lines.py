"""The lines of a terminal as they are drawn: made once, and kept until they look different."""

from __future__ import annotations

from collections.abc import Iterable

from textual.strip import Strip

from ...core.terminal.base import Terminal as Emulator
from .terminal_drawing import Colours, strip_of


class Lines:
    """Lines of a view that is so many cells wide and begins at a column of the terminal.

    Attributes:
        colours: what they are drawn in.
    """

    def __init__(self, colours: Colours, left: int, width: int) -> None:
        self.colours = colours
        self._left = left
        self._width = width
        self._kept: dict[int, Strip] = {}

    def forget(self, rows: Iterable[int]) -> None:
        """These rows of the screen changed."""
        for row in rows:
            self._kept.pop(row, None)

    def whole(self, emulator: Emulator, index: int) -> Strip:
        """A line from its first column on, as long as its text; counted from the oldest kept."""
        return strip_of(emulator.row(index), self.colours)

    def seen(self, strip: Strip) -> Strip:
        """What of a line is in view."""
        return strip.crop_extend(self._left, self._left + self._width, self.colours.base)

    def bare(self, emulator: Emulator, index: int) -> Strip:
        """What is in view of a line on which nothing is marked; empty below the last."""
        row = index - emulator.history_size
        strip = self._kept.get(row)
        if strip is not None:
            return strip
        if row >= emulator.lines:
            return Strip.blank(self._width, self.colours.base)
        strip = self.seen(self.whole(emulator, index))
        if row >= 0:
            self._kept[row] = strip
        return strip
