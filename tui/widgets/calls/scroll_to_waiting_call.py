"""Keeps the call that waits for the user in view."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from sandbox_tui.tui.widgets.calls.call_list import Calls


class Attention:
    """Scrolls a list of calls to a call that starts to wait, unless the user is reading elsewhere.

    A list scrolled this way follows its end again once the call is decided.

    Attributes:
        number: number of the waiting call; None if there is none.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self.number: int | None = None
        self._place = -1
        self._scrolled_to = 0

    def update(self, number: int | None, place_of: Callable[[], int]) -> None:
        """Set the number of the waiting call and look up its index in the list (-1: not shown)."""
        if number == self.number:
            return
        self.number = number
        if self._place >= 0:
            self._end()
        place = place_of()
        if place >= 0 and self._calls.following:
            self._calls.cursor = self._place = place
            self._scroll()

    def resized(self) -> None:
        """Scroll to the call again, unless the user has scrolled within it."""
        calls = self._calls
        if 0 <= self._place == calls.cursor and calls.scroll_offset.y == self._scrolled_to:
            self._scroll()

    def _scroll(self) -> None:
        self._calls.show_block(self._place)
        self._scrolled_to = self._calls.scroll_offset.y

    def _end(self) -> None:
        place, self._place = self._place, -1
        if self._calls.cursor == place and self._calls.is_visible(place):
            self._calls.cursor = -1
            self._calls.following = True
            self._calls.go_to_end()
