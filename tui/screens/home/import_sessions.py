"""Imports sessions from a file that the user names."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from sandbox_tui.core.base.errors import ImportRefused, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import is_folder, is_there
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import cut_title, task_title
from sandbox_tui.tui.screens.files.copy_files import CopyDialog
from sandbox_tui.tui.textual_support.toasts import complain_here
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.path_input import PathInput

MAX_TITLE_CHARACTERS = 60
"""Maximum characters of a session's title in the message about it."""


class ImportDialog(CopyDialog[list[str]]):
    """Asks for a file and imports its sessions; stays open if that fails. Dismisses with the ids
    of the sessions.

    Args:
        store: receives the sessions.
    """

    continues = "import"

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store

    def compose(self) -> ComposeResult:
        """Yield one field for the file, and room for what is wrong with it."""
        with VerticalScroll(classes="dialog form", can_focus=False) as box:
            box.border_title = "import sessions"
            yield PathInput(
                id="file", placeholder="a .sbx, .json, .traj or .cast file (tab completes)"
            )
            yield Static(id="why", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """Focus the field."""
        self.set_focus(self.query_one(PathInput))

    def action_submit(self) -> None:
        """Import the file, if there is one."""
        field = self.query_one(PathInput)
        file = field.path
        if file is None:
            self.complain(field, "enter a file")
        elif is_folder(file):
            self.complain(field, "this is a folder: enter a file")
        elif not is_there(file):
            self.complain(field, "this file does not exist")
        else:
            self.run_worker(self._import(file), group="import", exclusive=True)

    async def _import(self, file: Path) -> None:
        from sandbox_tui.sessions.interchange.imports import import_file

        try:
            run_ids = await asyncio.to_thread(import_file, self._store, file)
        except (ImportRefused, StoreError) as error:
            self.complain(self.query_one(PathInput), "not imported")
            self.query_one("#why", Static).update(sanitize_line(str(error)))
        else:
            self.dismiss(run_ids)

    def on_input_changed(self) -> None:
        """Take back what was wrong with another file."""
        self.query_one("#why", Static).update("")


def ask_for_import(app: App[int], store: Store, imported: Callable[[str], None]) -> None:
    """Ask for a file and import its sessions.

    Args:
        app: the program.
        store: receives the sessions.
        imported: called with the id of the last session that was imported.
    """

    def chosen(run_ids: list[str] | None) -> None:
        if run_ids:
            app.run_worker(_report(app, store, run_ids, imported), group="import")

    app.push_screen(ImportDialog(store), chosen)


async def _report(
    app: App[int], store: Store, run_ids: Sequence[str], imported: Callable[[str], None]
) -> None:
    try:
        run = await asyncio.to_thread(store.run, run_ids[-1])
    except StoreError as error:
        complain_here(app, str(error))
        return
    app.notify(sanitize_line(_imported(run, len(run_ids))), markup=False)
    imported(run.id)


def _imported(run: RunSummary, count: int) -> str:
    """Return what was imported, from which format, and what that lacks."""
    from sandbox_tui.sessions.interchange.imports import format_found

    words = f"Imported {numbers.counted(count, 'session')}"
    if count == 1:
        words = f"Imported {run.id}: {cut_title(task_title(run), MAX_TITLE_CHARACTERS)}"
    found = format_found(run)
    return f"{words} · {found}." if found else f"{words}."
