"""Imports sessions from a file that the user names."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll

from sandbox_tui.core.base.errors import ImportRefused, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import is_folder, is_there
from sandbox_tui.sessions import Store
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import cut_title, task_title
from sandbox_tui.tui.screens.files.copy_files import CopyDialog
from sandbox_tui.tui.textual_support.toasts import complain_here
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.path_input import PathInput

MAX_TITLE_CHARACTERS = 60
"""Maximum characters of a session's title in the message about it."""


class ImportDialog(CopyDialog[Path]):
    """Asks for a file with recorded sessions; dismisses with its path."""

    continues = "import"

    def compose(self) -> ComposeResult:
        """Yield one field for the file."""
        with VerticalScroll(classes="dialog form") as box:
            box.border_title = "import sessions"
            yield PathInput(
                id="file", placeholder=".sbx, trajectory.json, .traj, ATIF or .cast (→ completes)"
            )
        yield KeyBar()

    def on_mount(self) -> None:
        """Focus the field."""
        self.set_focus(self.query_one(PathInput))

    def action_submit(self) -> None:
        """Close with the file, if there is one."""
        file = self.query_one(PathInput).path
        if file is None or is_folder(file):
            self.notify("Enter a file.", severity="warning")
        elif not is_there(file):
            words = sanitize_line(f"{file} does not exist.")
            self.notify(words, severity="warning", markup=False)
        else:
            self.dismiss(file)


def ask_for_import(app: App[int], store: Store, imported: Callable[[str], None]) -> None:
    """Ask for a file and import its sessions.

    Args:
        app: the program.
        store: receives the sessions.
        imported: called with the id of the last session that was imported.
    """

    def chosen(file: Path | None) -> None:
        if file is not None:
            app.run_worker(_import(app, store, file, imported), group="import")

    app.push_screen(ImportDialog(), chosen)


async def _import(app: App[int], store: Store, file: Path, imported: Callable[[str], None]) -> None:
    from sandbox_tui.sessions.interchange.imports import import_file

    try:
        run_ids = await asyncio.to_thread(import_file, store, file)
        run = await asyncio.to_thread(store.run, run_ids[-1])
    except (ImportRefused, StoreError) as error:
        complain_here(app, str(error))
        return
    words = f"Imported {numbers.counted(len(run_ids), 'session')}."
    if len(run_ids) == 1:
        words = f"Imported {run.id}: {cut_title(task_title(run), MAX_TITLE_CHARACTERS)}."
    app.notify(sanitize_line(words), markup=False)
    imported(run.id)
