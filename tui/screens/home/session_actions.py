"""What a person does to saved sessions from a list of them: name, tag, delete."""

from __future__ import annotations

import asyncio

from textual import work
from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.store.maintenance import bytes_of_run, reclaim
from sandbox_tui.sessions.store.tables.annotations import set_tags, split_tags, tags_of
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import first_line, task_title
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.textual_support.typed_app import app_of


class SessionActions(Screen[None]):
    """The part of the home screen that is about one session.

    Every action asks first, so that nothing happens to a session by one key alone.
    """

    # --- what the screen says

    @property
    def session_here(self) -> RunSummary | None:
        """The session under the cursor."""
        raise NotImplementedError

    @property
    def session_store(self) -> Store:
        """Where it is."""
        raise NotImplementedError

    @property
    def is_recording(self) -> bool:
        """Whether runs of this program are being recorded."""
        raise NotImplementedError

    def reload(self) -> object:
        """Read the sessions anew."""
        raise NotImplementedError

    # --- a name

    @work(exclusive=True, group="session")
    async def action_rename(self) -> None:
        """Give the session under the cursor a name of its own."""
        run = self.session_here
        if run is None:
            return
        title = await app_of(self).push_screen_wait(
            PromptDialog("name", run.title or "", first_line(run.task)[:200])
        )
        if title is not None and title != (run.title or "").strip():
            await self._carried_out(self.session_store.rename, run.id, title or None)

    # --- tags

    @work(exclusive=True, group="session")
    async def action_tags(self) -> None:
        """Put tags on the session under the cursor, or take them away."""
        run = self.session_here
        if run is None:
            return
        try:
            tags = await asyncio.to_thread(tags_of, self.session_store, run.id)
        except StoreError as error:
            self._complain(error)
            return
        words = await app_of(self).push_screen_wait(
            PromptDialog(
                "tags", " ".join(tags), "words with blanks or commas between; none takes all away"
            )
        )
        if words is not None:
            await self._carried_out(set_tags, self.session_store, run.id, split_tags(words))

    # --- deleting

    @work(exclusive=True, group="session")
    async def action_delete(self) -> None:
        """Delete the session under the cursor, after asking."""
        run = self.session_here
        if run is None:
            return
        if run.outcome == "running" and not run.elsewhere:
            self.notify("A session that is running cannot be deleted.", markup=False)
            return
        try:
            question = await asyncio.to_thread(self._question, run)
        except StoreError as error:
            self._complain(error)
            return
        if await app_of(self).push_screen_wait(ConfirmDialog(question)):
            self._delete(run.id)

    def _question(self, run: RunSummary) -> str:
        room = numbers.size(bytes_of_run(self.session_store, run.id))
        forks = self.session_store.fork_count(run.id)
        stay = {0: "", 1: " Its fork stays."}.get(forks, f" Its {forks} forks stay.")
        return f"Delete “{task_title(run)[:80]}”, about {room}?{stay} This cannot be undone."

    @work(group="delete")
    async def _delete(self, run_id: str) -> None:
        store = self.session_store
        try:
            await asyncio.to_thread(store.delete, run_id)
            self.reload()
            given = 0 if self.is_recording else await asyncio.to_thread(reclaim, store)
            from sandbox_tui.sessions.recording.session_snapshots import remove_orphaned_snapshots

            problems = await asyncio.to_thread(remove_orphaned_snapshots, store)
        except StoreError as error:
            self._complain(error)
            self.reload()
            return
        kept = "Its space is used again for new sessions."
        words = f"{numbers.size(given)} given back to the disk." if given else kept
        self.notify(f"Deleted. {words}", markup=False)
        for problem in problems:
            self.notify(sanitize_line(problem), severity="warning", markup=False)

    # --- either way

    async def _carried_out(self, act: object, *arguments: object) -> None:
        """Change something in the database, and show it."""
        assert callable(act)
        try:
            await asyncio.to_thread(act, *arguments)
        except StoreError as error:
            self._complain(error)
        self.reload()

    def _complain(self, error: StoreError) -> None:
        self.notify(sanitize_line(str(error)), severity="error", markup=False, timeout=10)
