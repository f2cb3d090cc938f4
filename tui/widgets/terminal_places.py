"""The places of a text that is searched for in a terminal, and which of them a reader is at."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from rich.style import Style
from textual.strip import Strip

from ...core.terminal.base import Terminal as Emulator
from ...core.terminal.search import Hit, Search
from ..palette import Palette
from .strip_spans import cells_before, split_at

SEARCHED_LINES = 4000
"""Lines of scrollback that are looked at in a row: a few milliseconds."""


class Places:
    """See the module's text.

    Args:
        needle: what is searched for.
        near: the line (counted from the first there ever was) at or above which to begin.

    Attributes:
        hit: the place one is at.
        near: as above; goes along with the reader.
    """

    def __init__(self, needle: str, near: int) -> None:
        self._search = Search(needle)
        self.near = near
        self.hit: Hit | None = None

    def anew(self) -> Places:
        """The same search in another terminal, or in the same at another moment."""
        return Places(self._search.needle, self.near)

    def look_on(self, emulator: Emulator) -> bool:
        """Look at some more lines; whether there are more to look at."""
        return self._search.advance(emulator, SEARCHED_LINES)

    def nearest(self, emulator: Emulator) -> Hit | None:
        """The last place at or above `near`, else the first of all."""
        hits = self._search.hits(emulator)
        at = bisect_right(hits, Hit(self.near + 1, -1)) - 1
        return hits[max(0, at)] if hits else None

    def next(self, emulator: Emulator, direction: int) -> Hit | None:
        """The next place below (1) or above (-1), going round at the ends."""
        hits = self._search.hits(emulator)
        if not hits:
            return None
        here = self.hit or Hit(self.near + 1, -1)
        at = bisect_left(hits, here)
        if direction > 0 and hits[at : at + 1] != [here]:
            at -= 1
        return hits[(at + direction) % len(hits)]

    def position(self, emulator: Emulator) -> tuple[int, int]:
        """Which place one is at, from 1 (0: none), and how many have been found."""
        hits = self._search.hits(emulator)
        if self.hit is None:
            return 0, len(hits)
        at = bisect_left(hits, self.hit)
        return (at + 1 if hits[at : at + 1] == [self.hit] else 0), len(hits)

    def mark(self, strip: Strip, line: int, palette: Palette) -> Strip:
        """The strip with all places marked, and most of all the one one is at."""
        text = strip.text
        for start, end in self._search.spans(text):
            here = self.hit == (line, start)
            look = palette.accent + Style(reverse=True) if here else palette.selected
            look += Style(bold=here, underline=not here)
            strip = split_at(strip, cells_before(text, start), cells_before(text, end), look)
        return strip
