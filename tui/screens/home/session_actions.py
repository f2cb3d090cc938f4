"""Actions on the saved session under the cursor: rename, tag, export, delete."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, Protocol

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.store.maintenance import bytes_of_run
from sandbox_tui.sessions.store.tables.annotations import set_tags, split_tags, tags_of
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import cut_title, first_line, task_title
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.export_session import export_session
from sandbox_tui.tui.screens.free_space import free_space
from sandbox_tui.tui.textual_support.typed_app import app_of

Arguments = ParamSpec("Arguments")


class SessionsShown(Protocol):
    """What a screen provides about the sessions it lists."""

    @property
    def session_here(self) -> RunSummary | None:
        """The session under the cursor."""
        ...

    @property
    def is_recording(self) -> bool:
        """Whether runs of this program are being recorded."""
        ...

    def reload(self) -> object:
        """Reload the sessions."""
        ...


class SessionActions:
    """The actions on one session of a list.

    Every action asks first, so that no single key changes a session.

    Args:
        screen: shows the list; dialogs open over it.
        source: provides the sessions.
        store: the store that contains them.
    """

    def __init__(self, screen: Screen[None], source: SessionsShown, store: Store) -> None:
        self._screen = screen
        self._source = source
        self._store = store

    def rename(self) -> None:
        """Rename the session."""
        self._screen.run_worker(self._rename(), exclusive=True, group="session")

    def tag(self) -> None:
        """Edit the tags of the session."""
        self._screen.run_worker(self._tag(), exclusive=True, group="session")

    def export(self) -> None:
        """Export the session to files."""
        run = self._source.session_here
        if run is not None:
            export_session(self._screen, run, self._store)

    def delete(self) -> None:
        """Delete the session."""
        self._screen.run_worker(self._ask_and_delete(), exclusive=True, group="session")

    async def _rename(self) -> None:
        run = self._source.session_here
        if run is None:
            return
        title = await app_of(self._screen).push_screen_wait(
            PromptDialog("name", run.title or "", first_line(run.task)[:200])
        )
        if title is not None and title != (run.title or "").strip():
            await self._carry_out(self._store.rename, run.id, title or None)

    async def _tag(self) -> None:
        run = self._source.session_here
        if run is None:
            return
        try:
            tags = await asyncio.to_thread(tags_of, self._store, run.id)
        except StoreError as error:
            self._complain(error)
            return
        words = await app_of(self._screen).push_screen_wait(
            PromptDialog(
                "tags", " ".join(tags), "tags separated by spaces or commas; empty removes all"
            )
        )
        if words is not None:
            await self._carry_out(set_tags, self._store, run.id, split_tags(words))

    # --- deleting

    async def _ask_and_delete(self) -> None:
        run = self._source.session_here
        if run is None:
            return
        if run.outcome == "running" and not run.elsewhere:
            self._screen.notify("A running session cannot be deleted: end it first.", markup=False)
            return
        try:
            question = await asyncio.to_thread(self._question, run)
        except StoreError as error:
            self._complain(error)
            return
        if await app_of(self._screen).push_screen_wait(ConfirmDialog(question)):
            self._screen.run_worker(self._delete(run.id), group="delete")

    def _question(self, run: RunSummary) -> str:
        room = numbers.size(bytes_of_run(self._store, run.id))
        forks = self._store.fork_count(run.id)
        stay = {0: "", 1: " Its fork is kept."}.get(forks, f" Its {forks} forks are kept.")
        name = cut_title(task_title(run), 80)
        return f"Delete “{name}”, about {room}?{stay} This cannot be undone."

    async def _delete(self, run_id: str) -> None:
        store = self._store
        try:
            await asyncio.to_thread(store.delete, run_id)
            self._source.reload()
            recording = self._source.is_recording
            await free_space(self._screen, store, "Deleted.", is_recording=recording)
        except StoreError as error:
            self._complain(error)
            self._source.reload()

    # --- shared

    async def _carry_out(
        self,
        act: Callable[Arguments, object],
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> None:
        """Call `act` in a thread, then reload."""
        try:
            await asyncio.to_thread(act, *arguments, **named)
        except StoreError as error:
            self._complain(error)
        self._source.reload()

    def _complain(self, error: StoreError) -> None:
        self._screen.notify(sanitize_line(str(error)), severity="error", markup=False, timeout=10)
