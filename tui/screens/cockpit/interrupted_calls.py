"""Shows in the calls that a run goes no further, with what those that were cut off had printed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.playback.cut_off_output import cut_off_output
from sandbox_tui.tui.widgets.calls.call_list import Calls


class InterruptedCalls:
    """The cut-off calls of one session.

    Args:
        screen: shows the session; the reading ends with it.
        store: the store that contains it.
        run_id: its id.
    """

    def __init__(self, screen: Screen[None], store: Store, run_id: str) -> None:
        self._screen = screen
        self._store = store
        self._run_id = run_id
        self._printed: dict[int, str] | None = None
        self._state: RunState | None = None
        self._reads = False

    def show(self, state: RunState, *, is_interrupted: bool) -> None:
        """Show that the run was interrupted at the displayed position, or no longer.

        What its calls had printed is read the first time, and follows.
        """
        shown = state if is_interrupted else None
        if shown is self._state:
            return
        if self._state is not None:
            self._fill(self._state, {})
        self._state = shown
        self.calls.is_interrupted = is_interrupted
        if shown is not None and self._printed is not None:
            self._fill(shown, self._printed)
        self.calls.changed()
        if is_interrupted and not self._reads:
            self._reads = True
            self._screen.run_worker(self._read(), group="cut-off output")

    @property
    def calls(self) -> Calls:
        """The list that shows them."""
        return self._screen.query_one(Calls)

    @staticmethod
    def _fill(state: RunState, printed: Mapping[int, str]) -> None:
        for number, item in state.open_calls.items():
            item.printed = printed.get(number)

    async def _read(self) -> None:
        try:
            self._printed = await asyncio.to_thread(cut_off_output, self._store, self._run_id)
        except StoreError:
            return  # the rows go on saying that any output is in the terminal
        if self._state is not None:
            self._fill(self._state, self._printed)
            self.calls.changed()
