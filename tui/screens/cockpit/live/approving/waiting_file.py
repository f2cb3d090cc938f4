"""Reads the file that a waiting call edits, as it is in the sandbox now."""

from __future__ import annotations

import time
from collections.abc import Callable

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.run.human.run_controls import FileControls
from sandbox_tui.core.tools.edit_preview import EditedFile
from sandbox_tui.tui.screens.cockpit.cockpit import Cockpit
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.edited_file import edited_path

MAX_BYTES = 1 << 20
"""Larger files are not read: the call is shown without the lines around its change."""

MIN_SECONDS = 1.0
"""Minimum time between two readings of one file."""


class WaitingFile:
    """Keeps the previews of `Calls` up to date while a call waits.

    The file is read again only after something has happened in the run, such as a key in a shell:
    the sandbox has nothing to do while nothing happens.

    Args:
        screen: contains the calls.
        state: the run as far as the screen shows it.
        files: returns the files of the run, or None if they cannot be read now.
    """

    def __init__(
        self, screen: Cockpit, state: RunState, files: Callable[[], FileControls | None]
    ) -> None:
        self._screen = screen
        self._state = state
        self._files = files
        self._number: int = 0
        self._seq = -1
        self._at = 0.0

    def sync(self) -> None:
        """Read the file of the waiting call if it may have changed; call this regularly."""
        pending, path = self._state.pending, edited_path(self._state.pending)
        files = self._files()
        if pending is None or path is None or files is None or self._state.frozen:
            return
        now, number = time.monotonic(), pending.call.number
        is_stale = self._seq != self._state.seq and now - self._at >= MIN_SECONDS
        if number != self._number or is_stale:
            self._number, self._seq, self._at = number, self._state.seq, now
            self._screen.run_worker(
                self._read(files, number, path), group="waiting file", exclusive=True
            )

    async def _read(self, files: FileControls, number: int, path: str) -> None:
        try:
            file = await read_edited_file(files, path)
        except SandboxTuiError:  # the sandbox cannot be reached now: what is recorded is shown
            return
        calls = self._screen.query_one_optional(Calls)
        if calls is None or file is None:
            return
        if calls.edited_files.read != (number, file):
            calls.edited_files.read = number, file
            calls.sync(self._screen.now)
            calls.call_after_refresh(calls.attention.resized)  # the call may be taller now


async def read_edited_file(files: FileControls, path: str) -> EditedFile | None:
    """Return the file as it is now; None if it is too large.

    Raises:
        SandboxTuiError: the sandbox cannot be reached.
    """
    if not await files.exists(path):
        return EditedFile(None)
    try:
        data = await files.read(path, max_bytes=MAX_BYTES + 1)
    except SandboxTuiError as error:
        return EditedFile(None, str(error).removesuffix("."))
    return EditedFile(data) if len(data) <= MAX_BYTES else None
