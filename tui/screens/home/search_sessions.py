"""The search through all sessions on the home screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.running_summaries import up_to_now
from sandbox_tui.sessions.search.across_sessions import Hit
from sandbox_tui.sessions.search.search_as_you_type import Finder, Found
from sandbox_tui.sessions.store.tables.annotations import all_tags
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.sessions.search_results import SearchResults
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.sessions.session_search_bar import SearchBar


class SessionFinder:
    """Searches the sessions of one screen, in threads and on a separate connection.

    The screen's class `-finding` shows the search bar; `-hits` shows the results instead of the
    sessions.

    Args:
        screen: contains a `SearchBar`, a `SessionList` and `SearchResults`.
        store: the store that contains the sessions.
        open_hit: opens a hit.
        moved: called when the cursor is on another session, because other sessions are shown.
    """

    def __init__(
        self,
        screen: Screen[None],
        store: Store,
        open_hit: Callable[[Hit], None],
        moved: Callable[[], None],
    ) -> None:
        self._screen = screen
        self._store = store
        self._open_hit = open_hit
        self._moved = moved
        self._finder: Finder | None = None
        self._is_searching = False
        self._opens_first = False

    def close(self) -> None:
        """Close the connection."""
        if self._finder is not None:
            self._finder.close()

    @property
    def shows_hits(self) -> bool:
        """Whether search results are shown instead of all sessions."""
        return self._screen.has_class("-hits")

    @property
    def is_open(self) -> bool:
        """Whether the search bar is shown."""
        return self._screen.has_class("-finding")

    @property
    def session_here(self) -> RunSummary | None:
        """The session of the hit under the cursor."""
        return self._results.current_run

    def begin(self) -> None:
        """Open the search bar."""
        if self._finder is None:
            self._finder = Finder(self._store.path)
        self._screen.add_class("-finding")
        self._bar.open()
        self._screen.run_worker(self._learn_values(self._finder), exclusive=True, group="values")

    async def _learn_values(self, finder: Finder) -> None:
        try:
            self._bar.set_filter_values(await asyncio.to_thread(finder.values))
        except StoreError as error:
            self._bar.say(str(error))

    # --- the search

    def start_search(self) -> None:
        """Search for the current query of the bar."""
        if not self.is_open:
            return  # the query is of a search that was closed meanwhile
        self._opens_first = False
        self._look(query_changed=True)

    def repeat_search(self) -> None:
        """Repeat the search, because sessions may have changed."""
        if self._bar.query_now.has_terms:
            self._look(query_changed=False)

    def _look(self, *, query_changed: bool) -> None:
        self._is_searching = True
        if query_changed:
            self._results.show_search(is_running=True)
        self._screen.run_worker(
            self._search(query_changed=query_changed), exclusive=True, group="search"
        )

    async def _search(self, *, query_changed: bool) -> None:
        bar, finder = self._bar, self._finder
        query = bar.query_now
        if finder is None or not query.has_terms:
            self._is_searching = False
            self._show_hits(False)
            return
        try:
            found = await asyncio.to_thread(finder.find, query)
            if not found.hits and (shorter := bar.query_before_filter) is not None:
                if not shorter.has_terms:
                    self._is_searching = False
                    self._show_hits(False)
                    return
                found = await asyncio.to_thread(finder.find, shorter)
            found = await asyncio.to_thread(_up_to_now, self._store, found)
            tags = await asyncio.to_thread(all_tags, self._store)
        except StoreError as error:
            self._is_searching = False
            self._results.show_search(is_running=False)
            bar.say(sanitize_line(str(error)))
            return
        if not self.is_open:
            return  # closed meanwhile
        self._is_searching = False
        self._results.show(found, tags, query_changed=query_changed)
        self._show_hits(True)
        if self._opens_first:
            self._opens_first = False
            self.open_current()

    def _show_hits(self, shown: bool) -> None:
        self._screen.set_class(shown, "-hits")
        self._bar.set_has_rows(not shown or self._results.current is not None)
        focused = self._screen.focused
        if focused is not None and not focused.display:
            self.focus_list()
        self._moved()

    # --- navigation

    def focus_list(self) -> None:
        """Move the focus from the bar to the results, or to the sessions if there are none: at
        once if the list is on the screen, so that the next key goes there."""
        if self._list.display:
            self._screen.set_focus(self._list)
        else:
            self._screen.call_after_refresh(lambda: self._screen.set_focus(self._list))

    def move(self, direction: int) -> None:
        """Move the cursor of the list while the bar has the focus."""
        self._list.action_cursor(direction)

    def end(self) -> None:
        """Close the bar and show all sessions."""
        self._bar.close()
        self._screen.remove_class("-finding")
        workers = self._screen.workers
        workers.cancel_group(self._screen, "search")  # pyright: ignore[reportUnknownMemberType]
        self._is_searching = self._opens_first = False
        self._show_hits(False)
        self.focus_list()

    def submit(self) -> None:
        """Open the current hit; if the search is still running, open its first hit."""
        if self._is_searching:
            self._opens_first = True
        elif self.shows_hits:
            self.open_current()
        else:
            self.focus_list()

    def open_current(self) -> None:
        """Open the hit under the cursor. The focus stays where it is for the return: in the bar,
        what is typed next is another query and no commands."""
        hit = self._results.current
        if hit is not None:
            self._open_hit(hit)

    @property
    def _bar(self) -> SearchBar:
        return self._screen.query_one(SearchBar)

    @property
    def _results(self) -> SearchResults:
        return self._screen.query_one(SearchResults)

    @property
    def _list(self) -> BlockList:
        return self._results if self.shows_hits else self._screen.query_one(SessionList)


def _up_to_now(store: Store, found: Found) -> Found:
    """Return the hits with what their running sessions do now.

    Raises:
        StoreError: the database cannot be read.
    """
    runs = {hit.run.id: hit.run for hit in found.hits}
    now = {run.id: run for run in up_to_now(store, runs.values())}
    return replace(found, hits=[replace(hit, run=now[hit.run.id]) for hit in found.hits])
