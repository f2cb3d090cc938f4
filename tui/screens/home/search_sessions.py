"""Looking for something in all sessions, on the home screen."""

from __future__ import annotations

import asyncio

from textual import on, work

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.search.across_sessions import Hit
from sandbox_tui.sessions.search.search_as_you_type import Finder
from sandbox_tui.sessions.store.tables.annotations import all_tags
from sandbox_tui.tui.screens.home.session_actions import SessionActions
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.sessions.search_results import SearchResults
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.sessions.session_search_bar import SearchBar


class FindSessions(SessionActions):
    """The part of the home screen that searches: in threads, on a connection of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._finder: Finder | None = None
        self._looking = False
        self._opens_first = False

    def open_hit(self, hit: Hit) -> None:
        """Show a place that was found."""
        raise NotImplementedError

    def on_unmount(self) -> None:
        """Let the search be."""
        if self._finder is not None:
            self._finder.close()

    @property
    def is_finding(self) -> bool:
        """Whether what was found is shown instead of all sessions."""
        return self.has_class("-hits")

    def action_find(self) -> None:
        """Look for something in all sessions."""
        if self._finder is None:
            self._finder = Finder(self.session_store.path)
        self.add_class("-finding")
        self.query_one(SearchBar).open()
        self._learn_values(self._finder)

    @work(exclusive=True, group="values")
    async def _learn_values(self, finder: Finder) -> None:
        try:
            self.query_one(SearchBar).know(await asyncio.to_thread(finder.values))
        except StoreError as error:
            self.query_one(SearchBar).say(str(error))

    # --- what is looked for

    @on(SearchBar.QueryChanged)
    def _asked(self, event: SearchBar.QueryChanged) -> None:
        event.stop()
        self._opens_first = False
        self._look(anew=True)

    def look_again(self) -> None:
        """The same query once more: something may be different by now."""
        if self.query_one(SearchBar).query_now.asks:
            self._look(anew=False)

    def _look(self, *, anew: bool) -> None:
        self._looking = True
        self._search(anew=anew)

    @work(exclusive=True, group="search")
    async def _search(self, *, anew: bool) -> None:
        bar, finder = self.query_one(SearchBar), self._finder
        query = bar.query_now
        if finder is None or not query.asks:
            self._looking = False
            self._show_hits(False)
            return
        try:
            found = await asyncio.to_thread(finder.find, query)
            tags = await asyncio.to_thread(all_tags, self.session_store)
        except StoreError as error:
            self._looking = False
            bar.say(sanitize_line(str(error)))
            return
        self._looking = False
        self.query_one(SearchResults).show(found, tags, anew=anew)
        self._show_hits(True)
        self.refresh_bindings()
        if self._opens_first:
            self._opens_first = False
            self.open_current_hit()

    def _show_hits(self, shown: bool) -> None:
        self.set_class(shown, "-hits")
        if self.focused is not None and not self.focused.display:
            self._focus_list()

    # --- from one to the other

    @property
    def _list(self) -> BlockList:
        return self.query_one(SearchResults) if self.is_finding else self.query_one(SessionList)

    def _focus_list(self) -> None:
        self.call_after_refresh(lambda: self.set_focus(self._list))

    @on(SearchBar.CursorMoved)
    def _move(self, event: SearchBar.CursorMoved) -> None:
        event.stop()
        self._list.action_cursor(event.direction)

    @on(SearchBar.ResultsRequested)
    def _to_hits(self, event: SearchBar.ResultsRequested) -> None:
        event.stop()
        self._focus_list()

    @on(SearchBar.Closed)
    @on(SearchResults.Closed)
    def _end_of_search(self, event: SearchBar.Closed | SearchResults.Closed) -> None:
        event.stop()
        self.query_one(SearchBar).close()
        self.remove_class("-finding")
        self.workers.cancel_group(self, "search")  # pyright: ignore[reportUnknownMemberType]
        self._looking = self._opens_first = False
        self._show_hits(False)
        self._focus_list()

    @on(SearchBar.Submitted)
    def _chosen_in_bar(self, event: SearchBar.Submitted) -> None:
        """What enter was pressed on may only now be looked for."""
        event.stop()
        if self._looking:
            self._opens_first = True
        elif self.is_finding:
            self.open_current_hit()
        else:
            self._focus_list()

    @on(BlockList.Selected, "#hits")
    def _hit_chosen(self, event: BlockList.Selected) -> None:
        event.stop()
        self.open_current_hit()

    def open_current_hit(self) -> None:
        """Show what the cursor is on."""
        hit = self.query_one(SearchResults).current
        if hit is not None:
            self.set_focus(self.query_one(SearchResults))  # where one is on coming back
            self.open_hit(hit)
