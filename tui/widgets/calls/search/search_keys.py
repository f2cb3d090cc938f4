"""The keys of the list of calls that search and filter it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message
from typing_extensions import override

from sandbox_tui.core.events.run_state import CallItem, Item
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.calls.search.call_filter import contains
from sandbox_tui.tui.widgets.calls.search.call_search import CallSearch, next_match
from sandbox_tui.tui.widgets.word_search import first_row_with

_TO_MATCHES = ("hit(1)", "hit(-1)")
"""The actions that go from match to match."""


class SearchKeys(ExplainsUnavailable, BlockList):
    """A list that can be searched: by itself, or in a search through the session by its screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("calls.find", "find"),
        binding("calls.filter", "filter"),
        binding("calls.next", "hit(1)"),
        binding("calls.previous", "hit(-1)"),
    ]

    class FindRequested(Message):
        """The user wants to search."""

    class HitRequested(Message):
        """The user wants the next match (1) or the previous one (-1)."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._search = CallSearch()
        self._keys_for = (False, False)

    @property
    def urgent_actions(self) -> Sequence[str]:
        """The keys from match to match come first in the bar during a search, unless it has found
        nothing else."""
        return _TO_MATCHES if self._search.words and not self._is_on_only_match else ()

    @property
    def _is_on_only_match(self) -> bool:
        """Whether there is no other match to go to."""
        if self._search.session_summary is not None:
            return self._search.is_on_only_match
        return bool(self._search.words) and self._matches() == [self.cursor]

    def action_find(self) -> None:
        """Ask for the text to search for."""
        self.post_message(self.FindRequested())

    def action_hit(self, direction: int) -> None:
        """Go to another match; in a search through the session, the screen finds it."""
        if self._search.session_summary is None:
            self.next_hit(direction)
        else:
            self.post_message(self.HitRequested(direction))

    def find(self, words: str) -> str:
        """Search the shown items and go to the first match at or after the cursor.

        Returns:
            The number of matches, as text for the user.
        """
        self.start_search(words)
        matches = self._matches()
        if matches:
            here = max(self.cursor, 0)
            self._go(next((place for place in matches if place >= here), matches[0]))
        self._titles()
        self._refresh_keys()
        return self._search.summary(matches, self.cursor)

    def shows(self, item: Item | None) -> bool:
        """Whether an item is in the list, loaded and not hidden by the filter."""
        return any(self._item(place) is item for place in range(self.block_count()))

    def go_to(self, item: Item | None) -> None:
        """Go to an item, and open it; to the first one shown if it is not shown."""
        places = range(self.block_count())
        if places:
            self._go(next((place for place in places if self._item(place) is item), 0))

    @property
    def finds_nothing(self) -> bool:
        """Whether the shown items are searched, and none matches."""
        search = self._search
        return bool(search.words) and search.session_summary is None and not self._matches()

    def show_hit(self, words: str, found: str, *, is_here: bool, is_only: bool) -> None:
        """Highlight the words of a search through the whole session.

        Args:
            words: the text to highlight.
            found: the result of the search so far, as text for the user.
            is_here: whether the displayed event is a match, which is then the last one shown.
            is_only: whether it is the only one.
        """
        self._search.session_summary, self._search.is_on_only_match = found, is_only
        self.start_search(words)
        matches = self._matches() if is_here else ()
        if matches:
            self._go(matches[-1])
        self._titles()
        self._refresh_keys()

    def next_hit(self, direction: int) -> str:
        """Go to the next match (1) or the previous one (-1), wrapping at the ends; return its
        position among all matches, as text for the user."""
        matches = self._matches()
        place = next_match(matches, self.cursor, direction)
        if place is not None:
            self._go(place)
        self._titles()
        return self._search.summary(matches, self.cursor)

    def words_in(self, item: Item) -> str:
        """Return the words of the search if the item contains them; otherwise nothing."""
        return self._search.words if contains(item, self._search.words) else ""

    def _show_match(self, place: int, item: Item) -> None:
        """Scroll to a shown item, and to the match in it: in a call to the newest, because its
        output is below its arguments; in a text to the first."""
        self.show_block(place)
        rows, words = self._lines_of(place), self._search.words
        first = first_row_with(rows, words)
        if first < 0:
            return
        last = len(rows) - 1 - max(0, first_row_with(rows[::-1], words))
        for row in (first, last) if isinstance(item, CallItem) else (last, first):
            self.show_row(place, row)

    def _item(self, place: int) -> Item:
        """Return a shown item."""
        raise NotImplementedError

    def _matches(self) -> list[int]:
        """Return the places of the shown items that match."""
        raise NotImplementedError

    def _go(self, place: int) -> None:
        """Go to a shown item, and open it."""
        raise NotImplementedError

    def _titles(self) -> None:
        """Write the border."""
        raise NotImplementedError

    def start_search(self, words: str) -> None:
        """Highlight other words; the keys from match to match work only during a search."""
        self._search.start(words)
        self.changed()
        self._refresh_keys()

    def _refresh_keys(self) -> None:
        """Update the bar if the keys from match to match have begun or ceased to work, or to lead
        anywhere."""
        before = self._keys_for
        self._keys_for = bool(self._search.words), self._is_on_only_match
        if self._keys_for != before:
            self.refresh_bindings()

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        return "" if action != "hit" or self._search.words else "there is no search"

    def words_for(self, action: str) -> str | None:
        """Return short words for the key bar of a narrow screen, which leaves the filter out; none
        for keys that would stay at the only match."""
        if action in _TO_MATCHES and self._is_on_only_match:
            return ""
        narrow = {"filter": "", "hit(-1)": "previous"}
        return narrow.get(action) if self.screen.has_class("-narrow") else None
