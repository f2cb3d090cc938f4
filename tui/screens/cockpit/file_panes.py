"""The list of files and the preview next to it, kept up to date on the main screen."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

from textual.screen import Screen
from textual.timer import Timer

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.file_state import FileState
from sandbox_tui.tui.screens.cockpit.file_actions import FileSource
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.preview.preview import Preview

SLOW_SECONDS = 0.1
"""Drawing time in seconds above which the list pauses before it is drawn again."""

REST_RATIO = 5.0
"""Length of that pause, as a multiple of the drawing time."""


SWAP_FILE = re.compile(r"(^|/)\.[^/]+\.sw[a-p]$")
"""Swap files that vi creates while a file is edited."""


def latest_changed(files: Iterable[FileState]) -> FileState | None:
    """Return the file that changed last in this run, except swap files; None if none did."""
    changed = (
        file
        for file in files
        if file.last.kind == "file" and file.run_mark and not SWAP_FILE.search(file.last.path)
    )
    return max(changed, key=lambda file: (file.step, file.last.mtime), default=None)


class FilePanes:
    """The list of files and the preview on one screen.

    Args:
        screen: contains both.
        source: provides the files.
    """

    def __init__(self, screen: Screen[None], source: FileSource) -> None:
        self._screen = screen
        self._source = source
        self._changed = False
        self._rest: Timer | None = None

    def note(self, event: e.AnyEvent) -> None:
        """Note whether an event changes the list."""
        self._changed |= isinstance(event, e.FilesListed | e.FilesChanged)

    def show_changes(self) -> None:
        """Draw the list if it has changed.

        A hundred thousand files take long to draw, so the list pauses before the next time.
        """
        if not self._changed or self._rest is not None:
            return
        self._changed = False
        began = time.monotonic()
        self._files.show(self._source.state)
        seconds = time.monotonic() - began
        self.show_preview()
        if seconds > SLOW_SECONDS:
            self._rest = self._screen.set_timer(REST_RATIO * seconds, self._rested)

    def _rested(self) -> None:
        self._rest = None
        if self._screen.is_attached:
            self.show_changes()

    def show(self) -> None:
        """Show another state."""
        self._files.show(self._source.state)
        self.show_preview()

    def show_preview(self) -> None:
        """Preview the file under the cursor; until the user selects one, the last changed file."""
        row = self._files.current
        if row is None:
            self._preview_latest()
        else:
            self._preview.show(row.path, row.file)

    def _preview_latest(self) -> None:
        latest = latest_changed(self._source.state.files.values())
        self._preview.show(latest.last.path if latest else "", latest)

    @property
    def _files(self) -> FileTree:
        return self._screen.query_one(FileTree)

    @property
    def _preview(self) -> Preview:
        return self._screen.query_one(Preview)
