"""Pictures of the cockpit as SVG: all three panes at one moment of a session.

A picture is drawn by the program itself, on a screen that nobody sees, from a copy of the session
in which secrets are blanked.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from ..core.config import Settings
from ..core.errors import StoreError
from ..core.fork import seq_at
from ..sessions import Store
from ..sessions.exports import EXPORTERS, Recording
from ..sessions.imports import import_file
from .svg import self_contained

SIZE = (160, 45)
LARGEST = (400, 200)
PATIENCE = 120.0
"""Seconds until a picture is given up."""


def cockpit_picture(
    recording: Recording, at: str, settings: Settings, size: tuple[int, int] = SIZE
) -> bytes:
    """The cockpit at a moment, as one SVG file without anything from outside.

    Args:
        recording: the session.
        at: the moment: `end`, `5` or `step:5`, `call:7`, `seq:123`.
        settings: the theme and what else decides how it looks.
        size: columns and rows.

    Raises:
        ForkRefused: there is no such moment.
        StoreError: it could not be drawn.
    """
    seq = seq_at(recording.events, at)
    (part,) = EXPORTERS["bundle"].write(recording)
    with TemporaryDirectory(prefix="sandbox-tui-") as folder:
        path = Path(folder) / "copy.sbx"
        path.write_bytes(part.data)
        store = Store(Path(folder) / "sessions.db")
        try:
            (run_id,) = import_file(store, path)
            return asyncio.run(_drawn(store, run_id, seq, settings, size))
        finally:
            store.close()


async def _drawn(
    store: Store, run_id: str, seq: int, settings: Settings, size: tuple[int, int]
) -> bytes:
    from .app import ReplayAt, SandboxTui
    from .screens.replay import Place, ReplayScreen

    run = store.run(run_id)
    look = msgspec.structs.replace(settings.ui, animations=False, images="blocks", title=False)
    app = SandboxTui(msgspec.structs.replace(settings, ui=look), store, ReplayAt(run, Place(seq)))
    try:
        async with asyncio.timeout(PATIENCE), app.run_test(size=size, notifications=False) as pilot:
            screen = app.screen
            while not isinstance(screen, ReplayScreen) or not screen.shows(seq):
                await pilot.pause()
                screen = app.screen
            await pilot.pause()
            return self_contained(app.export_screenshot(title=screen.task_line))
    except TimeoutError as error:
        raise StoreError(f"The picture was not ready after {PATIENCE:g} s.") from error
