"""Actions on saved sessions: the one under the cursor is renamed, noted, its id copied, its folder
opened; all chosen ones are tagged, exported and deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ParamSpec, Protocol

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.session_detail import results_folder
from sandbox_tui.sessions.store.tables.annotations import (
    add_note,
    edit_note,
    notes_of,
    set_tags,
    split_tags,
    tags_of,
)
from sandbox_tui.tui.format.titles import cut_title, task_line
from sandbox_tui.tui.keys.key_sequencer import keys_for_dialog
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.export_session import export_session, show_export
from sandbox_tui.tui.screens.free_space import free_space
from sandbox_tui.tui.screens.home.rows.delete_question import delete_question
from sandbox_tui.tui.screens.home.rows.run_ender import RunEnder
from sandbox_tui.tui.screens.home.rows.session_details import CHANGES
from sandbox_tui.tui.screens.home.rows.unavailable_here import is_at_rest
from sandbox_tui.tui.screens.show_folder import show_folder
from sandbox_tui.tui.textual_support.copy_text import copy
from sandbox_tui.tui.textual_support.toasts import complain_here
from sandbox_tui.tui.textual_support.typed_app import app_of

Arguments = ParamSpec("Arguments")


class SessionsShown(Protocol):
    """What a screen provides about the sessions it lists."""

    @property
    def session_here(self) -> RunSummary | None:
        """The session under the cursor."""
        ...

    @property
    def sessions_chosen(self) -> Sequence[RunSummary]:
        """The marked sessions; without marks, those of the row under the cursor."""
        ...

    @property
    def are_marked(self) -> bool:
        """Whether the chosen sessions are those that are marked."""
        ...

    @property
    def is_recording(self) -> bool:
        """Whether runs of this program are being recorded."""
        ...

    def reload(self) -> object:
        """Reload the sessions."""
        ...


class SessionActions:
    """The actions on the sessions of a list.

    Every action asks first, so that no single key changes a session.

    Args:
        screen: shows the list; dialogs open over it.
        source: provides the sessions.
        store: the store that contains them.
        ender: ends those that go on.
    """

    def __init__(
        self, screen: Screen[None], source: SessionsShown, store: Store, ender: RunEnder
    ) -> None:
        self._screen = screen
        self._source = source
        self._store = store
        self._ender = ender

    def rename(self) -> None:
        """Rename the session."""
        self._ask(self._rename())

    def tag(self) -> None:
        """Edit the tags of the chosen sessions."""
        self._ask(self._tag())

    def export(self) -> None:
        """Export the session to files; all that are marked, or all samples of a group, to a
        folder."""
        here = self._source.session_here
        several = self._source.are_marked or here is None
        chosen = self._source.sessions_chosen if several else ()
        if len(chosen) > 1:
            from sandbox_tui.tui.screens.home.rows.export_marked import ExportMarkedDialog

            show_export(self._screen, ExportMarkedDialog(chosen, self._store))
            return
        run = chosen[0] if chosen else here
        if run is not None:
            export_session(self._screen, run, self._store)

    def note(self) -> None:
        """Write the note on the session as a whole, or edit it."""
        self._ask(self._note())

    def copy_id(self) -> None:
        """Copy the session's id to the clipboard."""
        run = self._source.session_here
        if run is not None:
            copy(app_of(self._screen), run.id)

    def open_folder(self) -> None:
        """Show the session's results in the desktop's file manager."""
        run = self._source.session_here
        if run is None:
            return
        try:
            folder = results_folder(self._store, run)
        except StoreError as error:
            self._complain(error)
            return
        if folder is None or not folder.is_dir():
            words = sanitize_line(f"{folder} does not exist any more.")
            self._screen.notify(words, severity="warning", markup=False)
        else:
            show_folder(self._screen, folder)

    def delete(self) -> None:
        """Delete the chosen sessions; end them if all are runs that go on."""
        self._ask(self._ask_and_delete())

    async def _rename(self) -> None:
        run = self._source.session_here
        if run is None:
            return
        title = await app_of(self._screen).push_screen_wait(
            PromptDialog("name", run.title or "", task_line(run.task)[:200])
        )
        if title is not None and title != (run.title or "").strip():
            self._carry_out(self._store.rename, run.id, title or None)

    async def _note(self) -> None:
        run = self._source.session_here
        if run is None:
            return
        try:
            notes = await asyncio.to_thread(notes_of, self._store, run.id)
        except StoreError as error:
            self._complain(error)
            return
        here = next((note for note in reversed(notes) if note.step == 0), None)
        before = "" if here is None else here.text
        empty = "your note" if here is None else "leave empty to delete the note"
        text = await app_of(self._screen).push_screen_wait(
            PromptDialog("note on this session", before, empty)
        )
        if text is None or text == before.strip():
            return
        if here is None:
            self._carry_out(add_note, self._store, run.id, 0, text)
        else:
            self._carry_out(edit_note, self._store, run.id, here, text)

    async def _tag(self) -> None:
        chosen = [run.id for run in self._source.sessions_chosen]
        if not chosen:
            return
        try:
            tags, others = await asyncio.to_thread(_tags_of_all, self._store, chosen)
        except StoreError as error:
            self._complain(error)
            return
        words = await app_of(self._screen).push_screen_wait(
            PromptDialog(*_tag_question(len(chosen), tags, others))
        )
        if words is not None:
            self._carry_out(_replace_tags, self._store, chosen, tags, split_tags(words))

    # --- deleting

    async def _ask_and_delete(self) -> None:
        chosen = self._source.sessions_chosen
        here = self._source.session_here
        marked = self._source.are_marked and [run.id for run in chosen] != [here and here.id]
        if self._ender.can_end(chosen):
            if await self._ender.may_end(chosen):
                self._screen.run_worker(self._end(chosen), group="end")
            return
        runs = [run for run in chosen if is_at_rest(run)]
        if not runs or self._ender.said_they_ended(runs):
            return
        try:
            question = await asyncio.to_thread(
                delete_question, self._store, runs, len(chosen) - len(runs), are_marked=marked
            )
        except StoreError as error:
            self._complain(error)
            return
        if await app_of(self._screen).push_screen_wait(ConfirmDialog(question, "delete", "keep")):
            self._screen.run_worker(self._delete([run.id for run in runs]), group="delete")

    async def _end(self, runs: Sequence[RunSummary]) -> None:
        await self._ender.end(runs)
        self._source.reload()

    async def _delete(self, run_ids: Sequence[str]) -> None:
        store, count = self._store, len(run_ids)
        try:
            for run_id in run_ids:
                await asyncio.to_thread(store.delete, run_id)
                await self._ender.forget(run_id)
            self._source.reload()
            words = "Deleted." if count == 1 else f"{count} sessions deleted."
            is_recording = self._source.is_recording
            await free_space(self._screen, store, words, count, is_recording=is_recording)
        except StoreError as error:
            self._complain(error)
            self._source.reload()

    # --- shared

    def _ask(self, asking: Coroutine[Any, Any, None]) -> None:
        work = keys_for_dialog(self._screen, asking)
        self._screen.run_worker(work, exclusive=True, group="session")

    def _carry_out(
        self,
        act: Callable[Arguments, object],
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> None:
        """Call `act` in a thread, then reload; the key for the next question cancels neither."""

        async def work() -> None:
            try:
                await asyncio.to_thread(act, *arguments, **named)
            except StoreError as error:
                self._complain(error)
            self._source.reload()

        self._screen.run_worker(work(), group=CHANGES)

    def _complain(self, error: StoreError) -> None:
        complain_here(self._screen, str(error))


def _tags_of_all(store: Store, run_ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the tags that all of these sessions have, and those that only some of them have."""
    tags = [tags_of(store, run_id) for run_id in run_ids]
    common = [tag for tag in tags[0] if all(tag in others for others in tags)]
    found = dict.fromkeys(tag for some in tags for tag in some)
    return common, [tag for tag in found if tag not in common]


def _tag_question(count: int, common: Sequence[str], others: Sequence[str]) -> tuple[str, str, str]:
    """Return the title, the text and the meaning of an empty line of the dialog for tags."""
    text = " ".join(common)
    if count == 1:
        return "tags", text, "tags separated by spaces or commas; empty removes all"
    title = f"tags of all {count} sessions"
    if others:
        title += f" · kept on some: {cut_title(' '.join(f'#{tag}' for tag in others), 40)}"
    if common:
        return title, text, f"leave empty to remove #{' #'.join(common)} from all {count}"
    return title, text, f"they have no tag in common; what you type is added to all {count}"


def _replace_tags(
    store: Store, run_ids: Sequence[str], before: Sequence[str], after: Sequence[str]
) -> None:
    """Replace the common tags of sessions; each keeps the tags that only some of them have."""
    for run_id in run_ids:
        own = [tag for tag in tags_of(store, run_id) if tag not in before]
        set_tags(store, run_id, [*own, *after])
