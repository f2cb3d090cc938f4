"""The user's notes on the steps of a run, written on the main screen, live or in replay."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import CallItem, HumanItem, ReplyItem, RunState
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables.annotations import Note, add_note, edit_note, notes_of
from sandbox_tui.tui.keys.key_sequencer import keys_for_dialog
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.rows.task_rows import is_task
from sandbox_tui.tui.widgets.timeline import Timeline


class NotedSession(Protocol):
    """What a screen provides about the session whose notes it shows."""

    state: RunState
    """The run as of the displayed event."""

    @property
    def session(self) -> tuple[Store, str]:
        """The store of the session, and its id."""
        ...

    def time_of_step(self, step: int) -> float | None:
        """Return the time of a step's reply, in seconds since the run started; None if there is
        none."""
        ...


class StepNotes:
    """The notes of the displayed session; they are kept in the database, not in events.

    Args:
        screen: shows the notes in its calls and on its timeline.
        source: provides the session.

    Attributes:
        all: the notes.
    """

    def __init__(self, screen: Screen[None], source: NotedSession) -> None:
        self._screen = screen
        self._source = source
        self.all: Sequence[Note] = ()

    def read(self) -> None:
        """Read the notes from the database and show them."""
        self._screen.run_worker(self._read(), exclusive=True, group="notes")

    def ask(self, arrival: Awaitable[None] | None = None) -> None:
        """Ask for a note on the step under the cursor; edit or delete an existing one.

        Args:
            arrival: awaited first if another position is about to be displayed; otherwise, the
                step is the one displayed now.
        """
        step = self.step_here if arrival is None else None
        asking = keys_for_dialog(self._screen, self._ask(step, arrival))
        self._screen.run_worker(asking, exclusive=True, group="note")

    async def _read(self) -> None:
        store, run_id = self._source.session
        try:
            self.all = await asyncio.to_thread(notes_of, store, run_id)
        except StoreError as error:
            self._screen.log.warning(f"no notes: {error}")
            return
        self.show()

    def show(self) -> None:
        """Show the notes in the calls; those on steps also on the timeline."""
        by_step: dict[int, list[str]] = {}
        for note in self.all:
            by_step.setdefault(note.step, []).append(note.text)
        self._screen.query_one(Calls).show_notes(by_step)
        times = [self._source.time_of_step(step) for step in by_step if step]
        self._screen.query_one(Timeline).show_notes([t for t in times if t is not None])

    @property
    def step_here(self) -> int:
        """The step of the item under the cursor, otherwise the current one; the one before it
        until its reply has arrived, or if that never came. A note on the task, step 0, is one on
        the session."""
        state = self._source.state
        match self._screen.query_one(Calls).current:
            case HumanItem() as item if is_task(item):
                return 0
            case ReplyItem(step=step):
                pass
            case CallItem(call=call):
                step = call.step
            case _:
                step = state.step
        has_reply = self._source.time_of_step(step) is not None
        return step if has_reply else min(step, state.totals.steps)

    async def _ask(self, step: int | None, arrival: Awaitable[None] | None) -> None:
        if arrival is not None:
            await arrival
        if step is None:
            step = self.step_here
        store, run_id = self._source.session
        here = [note for note in self.all if note.step == step]
        before = here[-1].text if here else ""
        title = f"note on step {step}" if step else "note on this session"
        text = await app_of(self._screen).push_screen_wait(
            PromptDialog(
                title, before, "your note" if not here else "leave empty to delete the note"
            )
        )
        if text is None or text == before.strip():
            return
        if here:
            write = partial(edit_note, store, run_id, here[-1], text)
        else:
            write = partial(add_note, store, run_id, step, text)
        # a worker of its own: the key for the next note does not cancel it
        self._screen.run_worker(self._write(write), group="note changes")

    async def _write(self, write: Callable[[], object]) -> None:
        try:
            await asyncio.to_thread(write)
        except StoreError as error:
            self._screen.notify(sanitize_line(str(error)), severity="error", markup=False)
        await self._read()
