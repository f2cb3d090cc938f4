# pyright: reportUnknownMemberType=false
"""Looking for something in all sessions, on the home screen."""

from __future__ import annotations

import asyncio

from textual import on, work

from ...core.errors import StoreError
from ...core.text import clean_line
from ...sessions.finder import Finder
from ...sessions.labels import all_tags
from ...sessions.pace import Pace
from ...sessions.search import Hit
from ..widgets.blocks import Blocks
from ..widgets.hit_list import HitList
from ..widgets.search_bar import SearchBar
from ..widgets.session_list import SessionList
from .session_actions import SessionActions


class FindSessions(SessionActions):
    """The part of the home screen that searches: in threads, on a connection of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._finder: Finder | None = None
        self._indexing = Pace(rest=0.2)
        self._catching_up = False
        self._looking = False
        self._opens_first = False

    def open_hit(self, hit: Hit) -> None:
        """Show a place that was found."""
        raise NotImplementedError

    def on_unmount(self) -> None:
        """Let the search be."""
        self._indexing.stop()
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
        if not self._catching_up:
            self._catch_up(self._finder)

    @work(exclusive=True, group="values")
    async def _learn_values(self, finder: Finder) -> None:
        try:
            self.query_one(SearchBar).know(await asyncio.to_thread(finder.values))
        except StoreError as error:
            self.query_one(SearchBar).say(str(error))

    @work(group="index")
    async def _catch_up(self, finder: Finder) -> None:
        """Index what was recorded since the last search; look again when there was something."""
        self._catching_up = True
        bar = self.query_one(SearchBar)
        try:
            bar.border_title = "find · the newest sessions are being read"
            if await asyncio.to_thread(finder.catch_up, self._indexing):
                self.look_again()
        except StoreError as error:
            bar.say(str(error))
        finally:
            self._catching_up = False
            bar.border_title = "find"

    # --- what is looked for

    @on(SearchBar.Asked)
    def _asked(self, event: SearchBar.Asked) -> None:
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
            bar.say(clean_line(str(error)))
            return
        self._looking = False
        self.query_one(HitList).show(found, tags, anew=anew)
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
    def _list(self) -> Blocks:
        return self.query_one(HitList) if self.is_finding else self.query_one(SessionList)

    def _focus_list(self) -> None:
        self.call_after_refresh(lambda: self.set_focus(self._list))

    @on(SearchBar.Moved)
    def _move(self, event: SearchBar.Moved) -> None:
        event.stop()
        self._list.action_cursor(event.direction)

    @on(SearchBar.ToHits)
    def _to_hits(self, event: SearchBar.ToHits) -> None:
        event.stop()
        self._focus_list()

    @on(SearchBar.Left)
    @on(HitList.Left)
    def _end_of_search(self, event: SearchBar.Left | HitList.Left) -> None:
        event.stop()
        self.query_one(SearchBar).close()
        self.remove_class("-finding")
        self.workers.cancel_group(self, "search")
        self._looking = self._opens_first = False
        self._show_hits(False)
        self._focus_list()

    @on(SearchBar.Chosen)
    def _chosen_in_bar(self, event: SearchBar.Chosen) -> None:
        """What enter was pressed on may only now be looked for."""
        event.stop()
        if self._looking:
            self._opens_first = True
        elif self.is_finding:
            self.open_current_hit()
        else:
            self._focus_list()

    @on(Blocks.Chosen, "#hits")
    def _hit_chosen(self, event: Blocks.Chosen) -> None:
        event.stop()
        self.open_current_hit()

    def open_current_hit(self) -> None:
        """Show what the cursor is on."""
        hit = self.query_one(HitList).current
        if hit is not None:
            self.set_focus(self.query_one(HitList))  # where one is on coming back
            self.open_hit(hit)
