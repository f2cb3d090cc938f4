"""Imports sessions from files that the user names."""

from __future__ import annotations

import asyncio
import glob
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from sandbox_tui.core.base.errors import (
    AlreadyImported,
    ImportRefused,
    SandboxTuiError,
    StoreError,
)
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import is_folder, is_there, typed_path
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.interchange.importable_files import ENDINGS, files_to_import
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.import_words import refused_words
from sandbox_tui.tui.format.titles import cut_title, task_title
from sandbox_tui.tui.screens.files.copy_files import CopyDialog
from sandbox_tui.tui.textual_support.toasts import RESULT_SECONDS, complain_here, note_here
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.path_input import PathInput

MAX_TITLE_CHARACTERS = 60
"""Maximum characters of a session's title in the message about it."""


class ImportDialog(CopyDialog[list[str]]):
    """Asks for files and imports their sessions; stays open if none can be imported. Dismisses
    with the ids of the sessions.

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
                id="file",
                placeholder="a .sbx, .json, .traj or .cast file, a folder, or *.sbx",
                endings=ENDINGS,
            )
            yield Static(id="why", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        """Focus the field."""
        self.set_focus(self.query_one(PathInput))

    def action_submit(self) -> None:
        """Import the files, if there are any."""
        field = self.query_one(PathInput)
        try:
            files = _named_files(field.value.strip())
        except ImportRefused as error:
            self.complain(field, "nothing to import")
            self.query_one("#why", Static).update(sanitize_line(str(error)))
            return
        missing = [file for file in files if not is_there(file)]
        if not files:
            self.complain(field, "enter a file")
        elif missing and len(files) > 1:
            self.complain(field, f"{missing[0].name} does not exist")
        elif missing:
            self.complain(field, "this file does not exist")
        else:
            self.run_worker(self._import(files, field.value), group="import", exclusive=True)

    async def _import(self, files: Sequence[Path], typed: str) -> None:
        from sandbox_tui.sessions.interchange.imports import import_file

        run_ids: list[str] = []
        refused: list[SandboxTuiError] = []
        for file in files:
            try:
                run_ids += await asyncio.to_thread(import_file, self._store, file)
            except (ImportRefused, StoreError) as error:
                refused.append(error)
        if run_ids:
            self.dismiss(run_ids)
            if refused:
                are_here = all(isinstance(error, AlreadyImported) for error in refused)
                severity = "information" if are_here else "error"
                words = f"Not imported: {refused_words(refused)}"
                app_of(self).notify(words, severity=severity, markup=False, timeout=RESULT_SECONDS)
        elif (field := self.query_one(PathInput)).value == typed:  # not about another file by now
            self.complain(field, "not imported")
            self.query_one("#why", Static).update(refused_words(refused))

    def on_input_changed(self) -> None:
        """Take back what was wrong with another file."""
        self.query_one("#why", Static).update("")


def _named_files(typed: str) -> list[Path]:
    """Return the file with this name, else the files that the text names as in a shell: several,
    with quotes around blanks, or patterns, which name no folders. A folder stands for the files in
    it that can be imported. A pattern that fits nothing stays as it is.

    Raises:
        ImportRefused: a folder has no such file.
    """
    if not typed or is_there(typed_path(typed)):
        return list(files_to_import(typed_path(typed))) if typed else []
    try:
        words = shlex.split(typed)
    except ValueError:  # an apostrophe
        return [typed_path(typed)]
    found: list[Path] = []
    for word in words:
        path = typed_path(word)
        fitting = [] if is_there(path) else sorted(glob.glob(str(path)))  # noqa: PTH207 - may be absolute
        files = [one for one in map(Path, fitting) if not is_folder(one)]
        found += files or files_to_import(path)
    return list(dict.fromkeys(found))


def ask_for_import(app: App[int], store: Store, imported: Callable[[str], None]) -> None:
    """Ask for files and import their sessions.

    Args:
        app: the program.
        store: receives the sessions.
        imported: called with the id of the first session that was imported.
    """

    def chosen(run_ids: list[str] | None) -> None:
        if run_ids:
            app.run_worker(_report(app, store, run_ids, imported), group="import")

    app.push_screen(ImportDialog(store), chosen)


async def _report(
    app: App[int], store: Store, run_ids: Sequence[str], imported: Callable[[str], None]
) -> None:
    try:
        run = await asyncio.to_thread(store.run, run_ids[0])
    except StoreError as error:
        complain_here(app, str(error))
        return
    note_here(app, _imported(run, len(run_ids)))
    imported(run.id)


def _imported(run: RunSummary, count: int) -> str:
    """Return what was imported, from which format, and what that lacks."""
    from sandbox_tui.sessions.interchange.imports import format_found

    words = f"Imported {numbers.counted(count, 'session')}"
    if count == 1:
        words = f"Imported {run.id}: {cut_title(task_title(run), MAX_TITLE_CHARACTERS)}"
    found = format_found(run)
    return f"{words} · {found}." if found else f"{words}."
