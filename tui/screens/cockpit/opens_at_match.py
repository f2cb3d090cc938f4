"""Opens a run that goes on at a match of a search, as a replay opens there."""

from __future__ import annotations

from typing_extensions import override

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import Item
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.screens.cockpit.replay.replay_position import ReplayPosition
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.search.find_bar import FindBar


class OpensAtMatch(Cockpit):
    """A cockpit that shows a match as soon as its event has arrived, and keeps its words as the
    search of the calls."""

    _sought: ReplayPosition | None = None
    _found: tuple[Item | None, str] | None = None

    def open_at(self, match: ReplayPosition) -> None:
        """Show a match instead of the end once it has arrived."""
        self._sought = match

    @override
    def _apply_state(self, event: e.AnyEvent) -> None:
        super()._apply_state(event)
        sought = self._sought
        if sought is None:
            return
        if event.seq >= sought.seq if sought.seq else self.state.step >= sought.step:
            self._sought, self._found = None, (self._item_of(event), sought.words)

    def _item_of(self, event: e.AnyEvent) -> Item | None:
        """Return the item that shows an event; None if that is the task."""
        match event:
            case e.CallProposed(call=call):
                return self.state.calls.get(call.number)
            case e.CallFinished(call=number):
                return self.state.calls.get(number)
            case _:
                return self.state.items[-1] if self.state.items else None

    @override
    def _flush(self) -> None:
        super()._flush()
        if self._found is not None and self._has_panes:
            (item, words), self._found = self._found, None
            self.query_one(Calls).go_to(item)
            self.query_one(FindBar).look_for(words)
