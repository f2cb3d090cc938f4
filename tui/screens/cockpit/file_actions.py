"""The user's actions on files on the main screen, live or in replay."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Protocol

from textual.screen import Screen

from sandbox_tui.core.base.errors import FileRefused, SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import FileState, RunState
from sandbox_tui.core.run.human.run_controls import FileControls
from sandbox_tui.core.sandboxes.protocol.tar_archives import write_out
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.files.copy_files import CopyInDialog, CopyOutDialog, Push
from sandbox_tui.tui.screens.files.edit_file import EditFileScreen
from sandbox_tui.tui.screens.files.file_view import FileViewScreen
from sandbox_tui.tui.screens.files.filter_files import FilterFilesDialog
from sandbox_tui.tui.terminal_io import open_external as outside
from sandbox_tui.tui.textual_support.toasts import note_here
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.preview.preview import Preview

_LIVE_ACTIONS = frozenset(("push_file", "edit_file"))
_OF_FILES = frozenset(
    (
        *("open_file", "edit_file", "open_outside"),
        *("cycle_diff", "choose_version", "toggle_source"),
    )
)
"""Actions on a file's content."""


class FileSource(Protocol):
    """What a screen provides about the files it shows."""

    state: RunState
    """The run as of the displayed event."""

    @property
    def is_live(self) -> bool:
        """Whether this is a live run, active or just ended."""
        ...

    @property
    def live_files(self) -> FileControls | None:
        """The files of an active run; None if only kept contents are left."""
        ...

    @property
    def copies_folder(self) -> Path:
        """Default destination for files that are copied out."""
        ...

    def kept(self, blob: str) -> bytes | None:
        """Return a content by its digest."""
        ...


class FileActions:
    """The file actions of one screen.

    Args:
        screen: shows the files and a preview; dialogs open over it.
        source: provides the files.
    """

    def __init__(self, screen: Screen[None], source: FileSource) -> None:
        self._screen = screen
        self._source = source

    def why_unavailable(self, action: str) -> str:
        """Why a file action is not available now; empty if it is."""
        if action in _LIVE_ACTIONS and self._source.live_files is None:
            return "the run is starting" if self._source.is_live else "a replay cannot be changed"
        if action in _OF_FILES and self._folder_is_chosen:
            return "this is a folder; move to a file"
        return self._preview.why_no_diff if action == "cycle_diff" else ""

    @property
    def _folder_is_chosen(self) -> bool:
        row = self._files.current
        return row is not None and row.is_dir

    def ask_filter(self) -> None:
        """Ask for a name filter of the tree."""
        app_of(self._screen).push_screen(FilterFilesDialog(self._files))

    def fetch(self, preview: Preview, path: str, max_bytes: int) -> None:
        """Fetch content that was not kept, for a preview."""
        work = self._fetch(preview, path, max_bytes)
        self._screen.run_worker(work, group="fetch", exclusive=True)

    async def _fetch(self, preview: Preview, path: str, max_bytes: int) -> None:
        files = self._source.live_files
        if files is None:
            return
        try:
            preview.fetched(path, await files.read(path, max_bytes=max_bytes))
        except SandboxTuiError:  # deleted or not readable, so there is no content to show
            preview.fetched(path, None)

    def open_whole(self) -> None:
        """Open the whole file on a separate screen."""
        path, file = self._chosen()
        if file is None or file.last.kind != "file":
            self._screen.notify("Select a file first.", timeout=2)
            return
        preview = self._preview
        against = preview.against if preview.path == path else None
        app_of(self._screen).push_screen(
            FileViewScreen(path, file, self._source.kept, self.fetch, against)
        )

    # --- copying out

    def ask_copy_out(self) -> None:
        """Ask for a destination and copy the chosen file or folder out."""
        path, _ = self._chosen()
        if not path:
            self._screen.notify("Select a file or folder first.", timeout=4)
            return

        def asked(folder: Path | None) -> None:
            if folder is not None:
                self._do(lambda: self._pull(path, folder))

        app_of(self._screen).push_screen(CopyOutDialog(path, self._source.copies_folder), asked)

    async def _pull(self, path: str, folder: Path) -> None:
        files = self._source.live_files
        if files is None:
            words = await asyncio.to_thread(self._write_kept, path, folder)
        else:
            target = self._inside(path, folder)
            before = await asyncio.to_thread(_names_in, folder)
            left = await files.pull(path, target)
            if target == folder:  # a file may have got a number: nothing there is replaced
                new = await asyncio.to_thread(_names_in, folder) - before
                target = folder / (new.pop() if len(new) == 1 else posixpath.basename(path))
            # the last sentence gives the total
            sentences = left if len(left) <= 3 else [*left[:2], left[-1]]
            words = " ".join([f"Copied out to {target}.", *sentences])
        self._screen.notify(sanitize_line(words), markup=False, timeout=6)

    def _inside(self, path: str, folder: Path) -> Path:
        """Return the destination: a folder keeps its name, a file goes into the chosen folder."""
        file = self._source.state.files.get(path)
        if file is None or file.last.kind != "dir":
            return folder
        return folder / (sanitize_line(posixpath.basename(path)).strip(".") or "files")

    def _write_kept(self, path: str, folder: Path) -> str:
        """Write the kept contents of a file or folder; return a sentence with their number."""
        above = posixpath.dirname(path)
        written: list[Path] = []
        missing = 0
        for name, file in self._source.state.files.items():
            if name != path and not name.startswith(f"{path}/"):
                continue
            if file.last.kind != "file" or file.last.change == "deleted":
                continue
            data = self._source.kept(file.last.blob) if file.last.blob else None
            if data is None:
                missing += 1
            else:
                written.append(write_out(data, name[len(above) + 1 :], folder))
        if not written:
            raise FileRefused(f"No content of {path} was saved with the session.")
        rest = f"; {missing} were not saved with the session" if missing else ""
        if len(written) == 1:
            return f"Copied out to {written[0]}{rest}."
        return f"Copied out {len(written)} files to {folder}{rest}."

    def open_outside(self) -> None:
        """Open a page, picture, sound, film or PDF in a desktop program."""
        path, file = self._chosen()
        if file is None or not outside.may_be_opened(path):
            self._screen.notify(
                "Only web pages, images, audio, video and PDF files open in other programs."
            )
            return
        self._do(lambda: self._open_outside(path, file))

    async def _open_outside(self, path: str, file: FileState) -> None:
        folder = outside.fresh_folder()
        data = self._source.kept(file.last.blob) if file.last.blob else None
        if data is not None:
            write_out(data, posixpath.basename(path), folder)
        elif self._source.live_files is not None:
            await self._source.live_files.fetch(path, folder)
        copied = next(folder.iterdir(), None)
        if copied is None:
            raise FileRefused(f"{path} was not saved with the session.")
        outside.open_outside(copied)
        note_here(self._screen, f"Opened a copy of {path}.")

    # --- copying in

    def ask_copy_in(self) -> None:
        """Ask for a host file or folder and copy it into the sandbox."""
        if self._source.live_files is None:
            self._screen.notify("This run has ended.", timeout=2)
            return
        started = self._source.state.started
        base = started.working_dir if started else "/testbed"
        path, file = self._chosen()
        is_folder = file is not None and file.last.kind == "dir"
        folder = path if is_folder else posixpath.dirname(path) if path else base

        def asked(push: Push | None) -> None:
            if push is not None:
                self._do(lambda: self._push(push))

        app_of(self._screen).push_screen(CopyInDialog(folder or base, base), asked)

    async def _push(self, push: Push) -> None:
        files = self._source.live_files
        if files is None:
            raise FileRefused("The run has ended in the meantime.")
        path = posixpath.join(push.folder, push.source.name)
        if await files.exists(path):
            question = sanitize_line(f"{path} already exists. Overwrite it?")
            dialog = ConfirmDialog(question, "overwrite", "keep it")
            if not await app_of(self._screen).push_screen_wait(dialog):
                return
        await files.push(push.source, push.folder, tell=push.tell)
        note_here(self._screen, f"Copied in to {path}.")

    def edit(self) -> None:
        """Edit the chosen file."""
        path, file = self._chosen()
        if self._source.live_files is None:
            self._screen.notify("This run has ended.", timeout=2)
        elif file is None or file.last.kind != "file" or file.last.change == "deleted":
            self._screen.notify("Select a file first.", timeout=2)
        else:
            self._do(lambda: self._open_editor(path))

    async def _open_editor(self, path: str) -> None:
        files = self._source.live_files
        if files is None:
            raise FileRefused("The run has ended in the meantime.")

        async def save(data: bytes, opened: bytes | None, tell: bool) -> None:
            await files.save(path, data, opened=opened, tell=tell)

        app_of(self._screen).push_screen(EditFileScreen(path, await files.open(path), save))

    # --- shared

    @property
    def _files(self) -> FileTree:
        return self._screen.query_one(FileTree)

    @property
    def _preview(self) -> Preview:
        return self._screen.query_one(Preview)

    def _chosen(self) -> tuple[str, FileState | None]:
        """Return the file under the cursor, otherwise the previewed one."""
        row = self._files.current
        if row is not None:
            return row.path, row.file
        preview = self._preview
        return preview.path, preview.file

    def _do(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a file action; a toast shows the reason if it fails."""
        self._screen.run_worker(self._carry_out(work), group="files")

    async def _carry_out(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except SandboxTuiError as error:
            self._screen.notify(sanitize_line(str(error)), severity="error", markup=False)
        except OSError as error:
            words = f"{error.strerror or error}: {error.filename or ''}"
            self._screen.notify(sanitize_line(words), severity="error", markup=False)


def _names_in(folder: Path) -> set[str]:
    """Return the names in a host folder; none if it does not exist."""
    return {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
