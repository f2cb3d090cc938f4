# pyright: reportUnknownMemberType=false
"""What a person may do with the files on the main screen, live or in replay."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from textual import on, work
from textual.screen import Screen

from ...core.controls import FileControls
from ...core.errors import FileRefused, SandboxTuiError
from ...core.sandboxes.copying import write_out
from ...core.state import FileState, RunState
from ...core.text import clean_line
from .. import outside
from ..widgets.files import Files
from ..widgets.preview import Preview
from .confirm import Confirm
from .copy_files import AskPull, AskPush, Push
from .edit_file import EditFile
from .file_view import FileView, choose_version
from .filter_files import FilterFiles

IN_A_LIVE_RUN = ("push_file", "edit_file")


class FileActions(Screen[None]):
    """The part of the main screen that is about files.

    Attributes:
        state: the run at the moment that is shown.
    """

    state: RunState

    # --- what the screens say

    @property
    def live_files(self) -> FileControls | None:
        """The files of a run that goes on; None when only what was kept is left."""
        return None

    @property
    def results_folder(self) -> Path:
        """Where files are copied out to unless a person says otherwise."""
        return Path.cwd()

    def kept(self, blob: str) -> bytes | None:
        """A content by its digest."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Files are changed only in a run that goes on."""
        return action not in IN_A_LIVE_RUN or self.live_files is not None

    # --- looking

    @on(Files.Opened)
    def _file_opened(self, event: Files.Opened) -> None:
        event.stop()
        self.action_open_file()

    @on(Files.FilterWanted)
    def _filter_wanted(self, event: Files.FilterWanted) -> None:
        event.stop()
        self.app.push_screen(FilterFiles(self.query_one(Files)))

    @on(Preview.Wanted)
    def _content_wanted(self, event: Preview.Wanted) -> None:
        event.stop()
        self._fetch(event.preview, event.path, event.max_bytes)

    @work(group="fetch", exclusive=True)
    async def _fetch(self, preview: Preview, path: str, max_bytes: int) -> None:
        files = self.live_files
        if files is None:
            return
        try:
            preview.fetched(path, await files.read(path, max_bytes=max_bytes))
        except SandboxTuiError:  # gone again, or not readable: then there is no content to show
            preview.fetched(path, None)

    def action_open_file(self) -> None:
        """The whole file on a screen of its own."""
        path, file = self._chosen()
        if file is None or file.last.kind != "file":
            self.notify("Choose a file first.", timeout=2)
            return
        preview = self.query_one(Preview)
        against = preview.against if preview.path == path else None
        self.app.push_screen(FileView(path, file, self.kept, self._fetch_for, against))

    def _fetch_for(self, preview: Preview, path: str, max_bytes: int) -> None:
        self._fetch(preview, path, max_bytes)

    def action_cycle_diff(self) -> None:
        """Content, last change, all changes."""
        self.query_one(Preview).cycle_diff()

    def action_choose_version(self) -> None:
        """Compare with a chosen step."""
        choose_version(self.query_one(Preview))

    def action_toggle_source(self) -> None:
        """By its kind, or as it stands in the file."""
        self.query_one(Preview).toggle_source()

    # --- out

    def action_pull_file(self) -> None:
        """Copy the chosen file or folder out, after asking where."""
        path, _ = self._chosen()
        if not path:
            self.notify("Choose a file or folder first.", timeout=2)
            return

        def asked(folder: Path | None) -> None:
            if folder is not None:
                self._do(lambda: self._pull(path, folder))

        self.app.push_screen(AskPull(path, self.results_folder), asked)

    async def _pull(self, path: str, folder: Path) -> None:
        files = self.live_files
        if files is None:
            words = await asyncio.to_thread(self._write_kept, path, folder)
        else:
            left = await files.pull(path, self._inside(path, folder))
            words = " ".join([f"Copied to {folder}.", *left[:3]])
        self.notify(clean_line(words), markup=False, timeout=6)

    def _inside(self, path: str, folder: Path) -> Path:
        """A folder keeps its name; a file goes into the folder that was named."""
        file = self.state.files.get(path)
        if file is None or file.last.kind != "dir":
            return folder
        return folder / (clean_line(posixpath.basename(path)).strip(".") or "files")

    def _write_kept(self, path: str, folder: Path) -> str:
        """Write what was kept of a file or folder; says how much that was."""
        above = posixpath.dirname(path)
        written = missing = 0
        for name, file in self.state.files.items():
            if name != path and not name.startswith(f"{path}/"):
                continue
            if file.last.kind != "file" or file.last.change == "deleted":
                continue
            data = self.kept(file.last.blob) if file.last.blob else None
            if data is None:
                missing += 1
            else:
                write_out(data, name[len(above) + 1 :], folder)
                written += 1
        if not written:
            raise FileRefused(f"Nothing of {path} was kept with the session.")
        rest = f"; {missing} were not kept with the session" if missing else ""
        return f"Copied {written} to {folder}{rest}."

    def action_open_outside(self) -> None:
        """Open a page, picture, sound, film or PDF with a program of the desktop."""
        path, file = self._chosen()
        if file is None or not outside.may_be_opened(path):
            self.notify("Only pages, pictures, sound, film and PDF are opened outside.")
            return
        self._do(lambda: self._open_outside(path, file))

    async def _open_outside(self, path: str, file: FileState) -> None:
        folder = outside.fresh_folder()
        data = self.kept(file.last.blob) if file.last.blob else None
        if data is not None:
            write_out(data, posixpath.basename(path), folder)
        elif self.live_files is not None:
            await self.live_files.fetch(path, folder)
        copied = next(folder.iterdir(), None)
        if copied is None:
            raise FileRefused(f"{path} was not kept with the session.")
        outside.open_outside(copied)
        self.notify(clean_line(f"Opened a copy of {path}."), markup=False, timeout=4)

    # --- in

    def action_push_file(self) -> None:
        """Copy a host file or folder into the sandbox, after asking which and where."""
        if self.live_files is None:
            self.notify("This run is not running.", timeout=2)
            return
        started = self.state.started
        base = started.working_dir if started else "/testbed"
        path, file = self._chosen()
        is_folder = file is not None and file.last.kind == "dir"
        folder = path if is_folder else posixpath.dirname(path) if path else base

        def asked(push: Push | None) -> None:
            if push is not None:
                self._do(lambda: self._push(push))

        self.app.push_screen(AskPush(folder or base, base), asked)

    async def _push(self, push: Push) -> None:
        files = self.live_files
        if files is None:
            raise FileRefused("The run has ended meanwhile.")
        path = posixpath.join(push.folder, push.source.name)
        if await files.exists(path):
            question = clean_line(f"{path} is there already. Write over it?")
            if not await self.app.push_screen_wait(Confirm(question)):
                return
        await files.push(push.source, push.folder, tell=push.tell)
        self.notify(clean_line(f"Copied to {path}."), markup=False, timeout=4)

    def action_edit_file(self) -> None:
        """Edit the chosen file by hand."""
        path, file = self._chosen()
        if self.live_files is None:
            self.notify("This run is not running.", timeout=2)
        elif file is None or file.last.kind != "file" or file.last.change == "deleted":
            self.notify("Choose a file first.", timeout=2)
        else:
            self._do(lambda: self._edit(path))

    async def _edit(self, path: str) -> None:
        files = self.live_files
        if files is None:
            raise FileRefused("The run has ended meanwhile.")

        async def save(data: bytes, opened: bytes | None, tell: bool) -> None:
            await files.save(path, data, opened=opened, tell=tell)

        self.app.push_screen(EditFile(path, await files.open(path), save))

    # --- how

    def _chosen(self) -> tuple[str, FileState | None]:
        """The file under the cursor, else the one that is previewed."""
        row = self.query_one(Files).current
        if row is not None:
            return row.path, row.file
        preview = self.query_one(Preview)
        return preview.path, preview.file

    @work(group="files")
    async def _do(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Carry out what a person asked for; a sentence says why when it cannot be done."""
        try:
            await work()
        except SandboxTuiError as error:
            self.notify(clean_line(str(error)), severity="error", markup=False)
        except OSError as error:
            words = f"{error.strerror or error}: {error.filename or ''}"
            self.notify(clean_line(words), severity="error", markup=False)
