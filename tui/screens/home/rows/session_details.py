"""Shows the row under the cursor in the detail pane of the home screen."""

from __future__ import annotations

import asyncio
from functools import partial

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.listing import EvalRow, Row, SamplesRow, TrainingRow
from sandbox_tui.sessions.relations.session_detail import SessionDetail, read_detail
from sandbox_tui.tui.keys.key_sequencer import keys_for_dialog
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.sessions.session_detail_pane import SessionDetailPane, Shown
from sandbox_tui.tui.widgets.sessions.whole_details import whole_details

CHANGES = "session changes"
"""Group of the workers that write what was typed about a session."""

_LISTS = "#sessions, #hits"


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
        self._show(shown)

    def fit(self) -> None:
        """Let the pane take the lines that the list leaves empty, up to half of the screen."""
        lists = self._screen.query(_LISTS).results(BlockList)
        shown = next((one for one in lists if one.display), None)
        if shown is None or not self._pane.display or not shown.outer_size.height:
            return
        room = shown.outer_size.height + self._pane.outer_size.height
        free = room - shown.virtual_size.height - 2
        self._pane.grow(min(free, self._screen.size.height // 2))

    def whole(self) -> None:
        """Show all details of the row on a screen of their own, with the note or tags that were
        typed just before."""
        work = keys_for_dialog(self._screen, self._open_whole())
        self._screen.run_worker(work, exclusive=True, group="whole details")

    async def _open_whole(self) -> None:
        from sandbox_tui.tui.screens.dialogs.pager import PagerScreen

        if changes := [one for one in self._screen.workers if one.group == CHANGES]:
            await asyncio.gather(*(one.wait() for one in changes))
        if isinstance(before := self._pane.shown, SessionDetail):
            await self._read(before.run)  # the pane may lag behind a note that was just written
        pane = self._pane
        lines = [line.plain for line in pane.lines()]
        shown = pane.shown
        is_session = isinstance(shown, SessionDetail)
        text = whole_details(shown, lines) if is_session else "\n".join(lines)
        app_of(self._screen).push_screen(PagerScreen(str(pane.border_title), text))

    @property
    def without_sandbox(self) -> str:
        """Id of the shown session if it cannot be resumed because its sandbox is gone."""
        shown = self._pane.shown
        if isinstance(shown, SessionDetail) and shown.has_lost_sandbox:
            return shown.run.id
        return ""

    def _show(self, shown: Shown) -> None:
        self._pane.show(shown)
        self._screen.refresh_bindings()
        self._screen.call_after_refresh(self.fit)

    async def _read(self, run: RunSummary) -> None:
        try:
            detail = await asyncio.to_thread(read_detail, self._store, run)
        except StoreError:  # deleted in the meantime; the list reports read errors
            self._show(None)
        else:
            self._show(detail)

    @property
    def _pane(self) -> SessionDetailPane:
        return self._screen.query_one(SessionDetailPane)
