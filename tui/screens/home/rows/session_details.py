"""Shows the row under the cursor in the detail pane of the home screen."""

from __future__ import annotations

import asyncio
from functools import partial

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.listing import EvalRow, Row, SamplesRow, TrainingRow
from sandbox_tui.sessions.relations.session_detail import read_detail
from sandbox_tui.tui.widgets.sessions.session_detail_pane import SessionDetailPane, Shown


class SessionDetails:
    """Reads details in a thread and drops those of rows that the cursor has left in the meantime.

    Args:
        screen: contains a `SessionDetailPane`.
        store: the store that contains the sessions.
    """

    def __init__(self, screen: Screen[None], store: Store) -> None:
        self._screen = screen
        self._store = store

    def show_row(self, row: Row | None) -> None:
        """Show the row under the cursor."""
        match row:
            case SamplesRow() | EvalRow() | TrainingRow():
                self._show_now(row)
            case None:
                self._show_now(None)
            case _:
                self.show_session(row.run)

    def show_session(self, run: RunSummary | None) -> None:
        """Show a session; None for none."""
        if run is None:
            self._show_now(None)
            return
        self._screen.run_worker(partial(self._read, run), exclusive=True, group="detail")

    def _show_now(self, shown: Shown) -> None:
        """Show what needs no reading, and drop what is being read."""
        workers = self._screen.workers
        workers.cancel_group(self._screen, "detail")  # pyright: ignore[reportUnknownMemberType]
        self._pane.show(shown)

    async def _read(self, run: RunSummary) -> None:
        try:
            detail = await asyncio.to_thread(read_detail, self._store, run)
        except StoreError:  # deleted in the meantime; the list reports read errors
            self._pane.show(None)
        else:
            self._pane.show(detail)

    @property
    def _pane(self) -> SessionDetailPane:
        return self._screen.query_one(SessionDetailPane)
