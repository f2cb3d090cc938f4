"""A search through a terminal's screen and scrollback, in slices short enough not to delay keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.strip import Strip
from textual.timer import Timer

from sandbox_tui.core.terminal.search import Hit
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.terminal.output_pump import YIELD_SECONDS
from sandbox_tui.tui.widgets.terminal.search.search_matches import SearchMatches

if TYPE_CHECKING:
    from sandbox_tui.tui.widgets.terminal.view import TerminalView


class ViewSearch:
    """The search of one view: finds matches, highlights them, and scrolls to them."""

    def __init__(self, view: TerminalView) -> None:
        self._view = view
        self._matches: SearchMatches | None = None
        self._from_line: int | None = None
        self._timer: Timer | None = None

    @property
    def active(self) -> bool:
        """Whether a search is active."""
        return self._matches is not None

    @property
    def pending(self) -> bool:
        """Whether some of the scrollback has not been searched yet."""
        return self._timer is not None

    @property
    def position(self) -> tuple[int, int]:
        """Position of the current match from 1 (0: none), and the number of matches so far."""
        return (0, 0) if self._matches is None else self._matches.position(self._view.emulator)

    def start(self, needle: str) -> None:
        """Highlight every match and go to the nearest one above the last visible line.

        The view then stays there while output continues. An empty text highlights nothing.
        """
        view = self._view
        if self._matches is not None:
            self._from_line = self._matches.near
        elif self._from_line is None:
            self._from_line = view.first_line + view.rows.last_line()
        self._matches = SearchMatches(needle, self._from_line) if needle else None
        self.advance()
        view.refresh()

    def restart(self) -> None:
        """Repeat the search in another emulator."""
        if self._matches is not None:
            self._matches = self._matches.restarted()

    def end(self) -> None:
        """Remove the highlights; the view stays where it is."""
        self._matches = self._from_line = None
        self._view.refresh()

    def go(self, direction: int) -> None:
        """Go to the next match below (1) or above (-1), wrapping at the ends."""
        if self._matches is not None:
            hit = self._matches.next(self._view.emulator, direction)
            if hit is not None:
                self._matches.near = hit.line
                self._show(self._matches, hit)

    def advance(self) -> None:
        """Search a slice of the scrollback, and schedule the next one if there is more."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._matches is None:
            return
        if self._matches.advance(self._view.emulator):
            self._timer = self._view.set_timer(YIELD_SECONDS, self.advance)
        elif self._matches.hit is None:
            hit = self._matches.nearest(self._view.emulator)
            if hit is not None:
                self._show(self._matches, hit)
        self._view.post_message(self._view.Searched(self._view))

    def mark(self, strip: Strip, line: int) -> Strip:
        """Return the strip of a line with its matches highlighted."""
        if self._matches is None:
            return strip
        return self._matches.mark(strip, line, palette_of(self._view))

    def _show(self, matches: SearchMatches, hit: Hit) -> None:
        view = self._view
        matches.hit = hit
        y = hit.line - view.first_line
        if not view.scroll_offset.y <= y <= view.rows.last_line():
            view.jump_to(view.rows.first_line(y, view.visible_lines // 2 + 1))
        view.following = False
        view.refresh()
        view.post_message(view.Searched(view))
