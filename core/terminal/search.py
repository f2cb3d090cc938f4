"""Searches a terminal and its scrollback, a few lines at a time, while output continues."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from sandbox_tui.core.terminal.base import Terminal


class Hit(NamedTuple):
    """A match.

    Attributes:
        line: counted from the terminal's first line ever.
        start: index of its first character in that line.
    """

    line: int
    start: int


class Search:
    """The matches of one text in one terminal.

    Lines in scrollback never change, so each is searched once; the rows of the screen are searched
    on every call of `hits`. Text that wraps at the terminal's edge is not found.

    Args:
        needle: the text; case-sensitive if it contains a capital letter.
    """

    def __init__(self, needle: str) -> None:
        self.needle = needle
        case_matters = any(char.isupper() for char in needle)
        self._pattern = re.compile(re.escape(needle), 0 if case_matters else re.IGNORECASE)
        self._found: list[Hit] = []
        self._next = 0

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the start and end of each match in a line, in characters."""
        return [match.span() for match in self._pattern.finditer(text)] if self.needle else []

    def advance(self, screen: Terminal, lines: int) -> bool:
        """Search `lines` more lines of scrollback; returns whether more are left."""
        oldest = screen.scrolled - screen.history_size
        first = max(self._next, oldest)
        last = min(first + lines, screen.scrolled)
        for line in range(first, last):
            self._found += self._hits(screen, line, line - oldest)
        self._next = max(first, last)
        self._forget(oldest)
        return self._next < screen.scrolled

    def hits(self, screen: Terminal) -> list[Hit]:
        """Return all matches found so far, from top to bottom."""
        oldest = screen.scrolled - screen.history_size
        self._forget(oldest)
        if self._next > screen.scrolled:  # another terminal, or the same one at an earlier time
            self._next = 0
            self._found.clear()
        found = self._found.copy()
        for line in range(screen.scrolled, screen.scrolled + screen.lines):
            found += self._hits(screen, line, line - oldest)
        return found

    def _hits(self, screen: Terminal, line: int, index: int) -> list[Hit]:
        return [Hit(line, start) for start, _ in self.spans(screen.text(index))]

    def _forget(self, oldest: int) -> None:
        """Forget matches in lines that were dropped from scrollback."""
        if self._found and self._found[0].line < oldest:
            del self._found[: bisect_left(self._found, Hit(oldest, 0))]
