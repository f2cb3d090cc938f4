"""The matches of a search in one terminal, and the current one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from rich.style import Style
from textual.strip import Strip

from sandbox_tui.core.terminal.base import Terminal as Emulator
from sandbox_tui.core.terminal.search import Hit, Search
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.strip_ops import cells_before, split_at

LINES_PER_SLICE = 4000
"""Lines of scrollback searched without a pause, which takes a few milliseconds."""


class SearchMatches:
    """Matches of one text, found slice by slice.

    Args:
        needle: the text.
        near: line number (from the terminal's first line) at or above which to start.

    Attributes:
        hit: the current match.
        near: as above; follows the current match.
    """

    def __init__(self, needle: str, near: int) -> None:
        self._search = Search(needle)
        self.near = near
        self.hit: Hit | None = None

    def restarted(self) -> SearchMatches:
        """Return the same search, for another terminal or another time."""
        return SearchMatches(self._search.needle, self.near)

    def advance(self, emulator: Emulator) -> bool:
        """Search a slice; return whether there is more to search."""
        return self._search.advance(emulator, LINES_PER_SLICE)

    def nearest(self, emulator: Emulator) -> Hit | None:
        """Return the last match at or above `near`, otherwise the first of all."""
        hits = self._search.hits(emulator)
        at = bisect_right(hits, Hit(self.near + 1, -1)) - 1
        return hits[max(0, at)] if hits else None

    def next(self, emulator: Emulator, direction: int) -> Hit | None:
        """Return the next match below (1) or above (-1), wrapping at the ends."""
        hits = self._search.hits(emulator)
        if not hits:
            return None
        here = self.hit or Hit(self.near + 1, -1)
        at = bisect_left(hits, here)
        if direction > 0 and hits[at : at + 1] != [here]:
            at -= 1
        return hits[(at + direction) % len(hits)]

    def position(self, emulator: Emulator) -> tuple[int, int]:
        """Return the position of the current match from 1 (0: none), and the number of matches so
        far."""
        hits = self._search.hits(emulator)
        if self.hit is None:
            return 0, len(hits)
        at = bisect_left(hits, self.hit)
        return (at + 1 if hits[at : at + 1] == [self.hit] else 0), len(hits)

    def mark(self, strip: Strip, line: int, palette: Palette) -> Strip:
        """Return the strip of a line with its matches highlighted, the current one more
        strongly."""
        text = strip.text
        for start, end in self._search.spans(text):
            here = self.hit == (line, start)
            look = palette.accent + Style(reverse=True) if here else palette.selected
            look += Style(bold=here, underline=not here)
            strip = split_at(strip, cells_before(text, start), cells_before(text, end), look)
        return strip
