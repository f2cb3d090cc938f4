"""Finds a text in a terminal and its scrollback, a little at a time, while output goes on."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from .base import Terminal


class Hit(NamedTuple):
    """Where the text was found.

    Attributes:
        line: counted from the first line the terminal ever had.
        start: character of that line.
    """

    line: int
    start: int


class Search:
    """One text, and where it stands in one terminal.

    Lines in scrollback never change, so each is looked at once; the rows of the screen are looked
    at whenever they are asked for. A text broken by the terminal's edge is not found.

    Args:
        needle: as it was typed; a capital letter in it makes capital letters count.
    """

    def __init__(self, needle: str) -> None:
        self.needle = needle
        minds_case = any(char.isupper() for char in needle)
        self._pattern = re.compile(re.escape(needle), 0 if minds_case else re.IGNORECASE)
        self._found: list[Hit] = []
        self._next = 0

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Beginning and end of each place of a line, in characters."""
        return [match.span() for match in self._pattern.finditer(text)] if self.needle else []

    def advance(self, screen: Terminal, lines: int) -> bool:
        """Look at so many more lines of scrollback; whether there are more to look at."""
        oldest = screen.scrolled - screen.history_size
        first = max(self._next, oldest)
        last = min(first + lines, screen.scrolled)
        for line in range(first, last):
            self._found += self._hits(screen, line, line - oldest)
        self._next = max(first, last)
        self._forget(oldest)
        return self._next < screen.scrolled

    def hits(self, screen: Terminal) -> list[Hit]:
        """All that have been found so far, from the top to the bottom."""
        oldest = screen.scrolled - screen.history_size
        self._forget(oldest)
        if self._next > screen.scrolled:  # another terminal, or the same at an earlier moment
            self._next = 0
            self._found.clear()
        found = self._found.copy()
        for line in range(screen.scrolled, screen.scrolled + screen.lines):
            found += self._hits(screen, line, line - oldest)
        return found

    def _hits(self, screen: Terminal, line: int, index: int) -> list[Hit]:
        return [Hit(line, start) for start, _ in self.spans(screen.text(index))]

    def _forget(self, oldest: int) -> None:
        """Leave out what has been dropped from scrollback."""
        if self._found and self._found[0].line < oldest:
            del self._found[: bisect_left(self._found, Hit(oldest, 0))]
