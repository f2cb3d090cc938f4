# pyright: reportUnknownMemberType=false
"""A person's notes on the steps of a run, written on the main screen, live or in replay."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from textual import work

from ...core.errors import StoreError
from ...core.state import CallItem, ReplyItem
from ...core.text import clean, clean_line
from ...sessions import Store
from ...sessions.labels import Note, add_note, change_note, notes_of
from ..widgets.calls import Calls
from ..widgets.timeline import Timeline
from .ask_line import AskLine
from .file_actions import FileActions


class StepNotes(FileActions):
    """The part of the main screen that is about notes; they stand in the database, not in events.

    Attributes:
        notes: of this session, by step.
    """

    notes: Sequence[Note] = ()

    # --- what the screens say

    @property
    def noted(self) -> tuple[Store, str]:
        """Where the session is, and its id."""
        raise NotImplementedError

    def time_of_step(self, step: int) -> float | None:
        """When a step's reply came, in seconds since the run began; None where it has not."""
        replies = (item for item in self.state.items if isinstance(item, ReplyItem))
        return next((item.asked_at for item in replies if item.step == step), None)

    # --- notes

    @work(exclusive=True, group="notes")
    async def read_notes(self) -> None:
        """Read them, and show them."""
        await self._read_notes()

    async def _read_notes(self) -> None:
        store, run_id = self.noted
        try:
            self.notes = await asyncio.to_thread(notes_of, store, run_id)
        except StoreError as error:
            self.log.warning(f"no notes: {error}")
            return
        self.show_notes()

    def show_notes(self) -> None:
        """Show them in the calls and on the timeline."""
        by_step: dict[int, list[str]] = {}
        for note in self.notes:
            by_step.setdefault(note.step, []).append(note.text)
        self.query_one(Calls).show_notes(by_step)
        times = [0.0 if step == 0 else self.time_of_step(step) for step in by_step]
        self.query_one(Timeline).show_notes([t for t in times if t is not None])

    @property
    def _step_here(self) -> int:
        """The step of what the cursor is on, else the last one that has a reply."""
        last = self.state.totals.steps
        match self.query_one(Calls).current:
            case ReplyItem(step=step):
                return min(step, last)
            case CallItem(call=call):
                return min(call.step, last)
            case _:
                return last

    @work(exclusive=True, group="note")
    async def action_note(self) -> None:
        """Write a note on the step under the cursor, change the one it has, or take it away."""
        store, run_id = self.noted
        step = self._step_here
        here = [note for note in self.notes if note.step == step]
        before = clean(here[-1].text, newlines=False) if here else ""
        what = f"note on step {step}" if step else "note on this session"
        text = await self.app.push_screen_wait(
            AskLine(what, before, "what is to be remembered" if not here else "takes the note away")
        )
        if text is None or text == before:
            return
        try:
            if here:
                await asyncio.to_thread(change_note, store, run_id, here[-1], text)
            else:
                await asyncio.to_thread(add_note, store, run_id, step, text)
        except StoreError as error:
            self.notify(clean_line(str(error)), severity="error", markup=False)
        await self._read_notes()
