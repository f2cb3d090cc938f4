# pyright: reportUnknownMemberType=false
"""What a person does to saved sessions from a list of them: name, tag, delete."""

from __future__ import annotations

import asyncio

from textual import work
from textual.screen import Screen

from ...core.errors import StoreError
from ...core.text import clean_line
from ...sessions import RunSummary, Store
from ...sessions.labels import set_tags, tags_of
from ...sessions.upkeep import reclaim, room_of, used
from .. import figures
from ..widgets.session_lines import name_of
from .ask_line import AskLine
from .confirm import Confirm


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
        title = await self.app.push_screen_wait(
            AskLine("name", run.title or "", clean_line(run.task.strip().split("\n", 1)[0])[:200])
        )
        if title is not None and title != (run.title or ""):
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
        words = await self.app.push_screen_wait(
            AskLine("tags", " ".join(tags), "words with spaces between; none takes all away")
        )
        if words is not None:
            await self._carried_out(set_tags, self.session_store, run.id, words.split())

    # --- deleting

    @work(exclusive=True, group="session")
    async def action_delete(self) -> None:
        """Delete the session under the cursor, after asking."""
        run = self.session_here
        if run is None:
            return
        if run.outcome == "running":
            self.notify("A session that is running cannot be deleted.", markup=False)
            return
        try:
            question = await asyncio.to_thread(self._question, run)
        except StoreError as error:
            self._complain(error)
            return
        if await self.app.push_screen_wait(Confirm(question)):
            self._delete(run.id)

    def _question(self, run: RunSummary) -> str:
        room = figures.size(room_of(self.session_store, run.id))
        forks = self.session_store.rows("SELECT 1 FROM runs WHERE parent = ?", [run.id])
        stay = {0: "", 1: " Its fork stays."}.get(len(forks), f" Its {len(forks)} forks stay.")
        return f"Delete “{name_of(run)[:80]}”, about {room}?{stay} This cannot be undone."

    @work(group="delete")
    async def _delete(self, run_id: str) -> None:
        store = self.session_store
        try:
            before = await asyncio.to_thread(used, store)
            await asyncio.to_thread(store.delete, run_id)
            room = max(0, before - await asyncio.to_thread(used, store))
            self.reload()
            given = 0 if self.is_recording else await asyncio.to_thread(reclaim, store)
            from ...sessions.snapshots import clear_left

            problems = await asyncio.to_thread(clear_left, store)
        except StoreError as error:
            self._complain(error)
            self.reload()
            return
        where = "given back to the disk" if given else "free for what is recorded next"
        size = figures.size(given or room)
        self.notify(f"Deleted: {size} {where}.", markup=False)
        for problem in problems:
            self.notify(clean_line(problem), severity="warning", markup=False)

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
        self.notify(clean_line(str(error)), severity="error", markup=False, timeout=10)
