"""Finds out what waiting calls of the wall's runs would do to the files that they edit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.json_arguments import parse_arguments
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.core.run.human.run_controls import FileControls
from sandbox_tui.core.tools.edit_preview import preview_edit
from sandbox_tui.tui.screens.cockpit.live.approving.waiting_file import read_edited_file
from sandbox_tui.tui.widgets.calls.edited_file import edited_path
from sandbox_tui.tui.widgets.wall.run_tile import RunTile

MAX_CONCURRENT_READS = 4
"""Maximum number of files that are read at the same time."""


class WaitingPreviews:
    """Gives tiles the previews of their waiting edits.

    A file is read when the call begins to wait, and again after something has happened in the run.

    Args:
        screen: the wall.
    """

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._reads = asyncio.Semaphore(MAX_CONCURRENT_READS)
        self._asked: dict[str, int] = {}

    def sync(self, tiles: Iterable[RunTile]) -> None:
        """Read the files that may have changed; call this regularly."""
        for tile in tiles:
            item, run = tile.state.pending, tile.worker.run
            path = edited_path(item)
            if item is None or path is None or run is None or run.over or tile.state.frozen:
                continue
            if self._asked.get(tile.worker.run_id) != tile.state.seq:
                self._asked[tile.worker.run_id] = tile.state.seq
                reading = self._read(tile, run.files, item, path)
                self._screen.run_worker(reading, group="previews")

    async def _read(self, tile: RunTile, files: FileControls, item: CallItem, path: str) -> None:
        async with self._reads:
            try:
                file = await read_edited_file(files, path)
            except SandboxTuiError:  # the sandbox cannot be reached now
                return
        if file is not None:
            tile.previewed = item.call.number, preview_edit(parse_arguments(item.arguments), file)
