"""Imports sessions from a file that the user names."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import VerticalScroll

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import is_folder, is_there
from sandbox_tui.sessions import Store
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import cut_title, task_title
from sandbox_tui.tui.screens.files.copy_files import CopyDialog
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
                id="file", placeholder="a .sbx, trajectory.json, .traj or .cast file (→ completes)"
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


async def import_sessions(store: Store, file: Path) -> str:
    """Import the sessions in a file; return what was imported, as a sentence.

    Raises:
        ImportRefused: the file is not a recording, or is damaged; nothing was changed.
        StoreError: the sessions could not be written; nothing was changed.
    """
    from sandbox_tui.sessions.interchange.imports import import_file

    run_ids = await asyncio.to_thread(import_file, store, file)
    if len(run_ids) != 1:
        return f"Imported {numbers.counted(len(run_ids), 'session')}."
    run = await asyncio.to_thread(store.run, run_ids[0])
    return f"Imported {run.id}: {cut_title(task_title(run), MAX_TITLE_CHARACTERS)}."
