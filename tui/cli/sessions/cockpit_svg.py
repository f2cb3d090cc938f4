"""Draws the cockpit as SVG: a screenshot of one position in a session, or a film of all of it.

The app itself draws it, headless, from a copy of the session with redacted secrets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten

import msgspec

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.lineage.fork_point import resolve_position
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.exports import Recording
from sandbox_tui.sessions.interchange.exports.bundle import with_contents
from sandbox_tui.sessions.playback.keyframes import catch_up
from sandbox_tui.sessions.store.tables.annotations import add_note, set_tags
from sandbox_tui.tui.cli.sessions.drawing_progress import show_progress
from sandbox_tui.tui.film.animated_svg import Frame, animated_svg
from sandbox_tui.tui.film.frame_times import moments
from sandbox_tui.tui.film.screenshot_rows import screenshot_rows
from sandbox_tui.tui.format.self_contained_svg import self_contained
from sandbox_tui.tui.textual_support.private_api import draw_on_request, screenshot

SIZE = (160, 45)
MAX_SIZE = (400, 200)
COPY_BATCH_EVENTS = 1_000
"""Number of events per transaction."""

DRAW_TIMEOUT_SECONDS = 600.0
"""Timeout for drawing a screenshot."""

POLL_SECONDS = 0.005
"""Interval between checks of the screen, which leaves time for the thread that reads the
session."""

Drawn = Callable[[int, int], None]
"""Called with the number of frames drawn, and of all frames."""


def cockpit_screenshot(
    recording: Recording, at: str, settings: Settings, size: tuple[int, int] = SIZE
) -> bytes:
    """Return the cockpit at one position, as one self-contained SVG file.

    Args:
        recording: the session.
        at: the position: `end`, `5` or `step:5`, `call:7`, `seq:123`.
        settings: the theme and other settings that affect the look.
        size: columns and rows.

    Raises:
        ForkRefused: there is no such position.
        StoreError: the screenshot could not be drawn.
    """
    seq = resolve_position(recording.events, at)
    (drawing,) = _screenshots(recording, [seq], settings, size, show_progress)
    return self_contained(drawing)


def cockpit_film(
    recording: Recording,
    settings: Settings,
    size: tuple[int, int] = SIZE,
    drawn: Drawn = show_progress,
) -> bytes:
    """Return the cockpit from the beginning of a session to its end, as one SVG file that plays by
    itself.

    Args:
        recording: the session.
        settings: the theme and other settings that affect the look.
        size: columns and rows.
        drawn: is told about the progress.

    Raises:
        StoreError: the film could not be drawn.
    """
    shown = moments(recording.events_with_output)
    seqs = [moment.seq for moment in shown]
    screenshots = _screenshots(recording, seqs, settings, size, drawn, in_film=True)
    return animated_svg(
        [
            Frame(screenshot_rows(drawing), moment.seconds)
            for drawing, moment in zip(screenshots, shown, strict=True)
        ]
    )


def _screenshots(
    recording: Recording,
    seqs: Sequence[int],
    settings: Settings,
    size: tuple[int, int],
    drawn: Drawn,
    *,
    in_film: bool = False,
) -> list[str]:
    """Return the cockpit after each of these events, as drawn by the app."""
    with TemporaryDirectory(prefix="sandbox-tui-") as folder:
        store = Store(Path(folder) / "sessions.db")
        try:
            _copy(recording, store)
            catch_up(store, recording.summary.id)
            run_id = recording.summary.id
            return asyncio.run(_draw(store, run_id, seqs, settings, size, drawn, in_film=in_film))
        finally:
            store.close()


def _copy(recording: Recording, store: Store) -> None:
    """Copy a session into another database, in batches."""
    run_id = recording.summary.id
    events, contents = with_contents(recording)
    for at in range(0, len(events), COPY_BATCH_EVENTS):
        store.append(run_id, events[at : at + COPY_BATCH_EVENTS])
    for data in contents:
        store.put_blob(run_id, data)
    store.rename(run_id, recording.summary.title)
    set_tags(store, run_id, recording.tags)
    for note in recording.notes:
        add_note(store, run_id, note.step, note.text, written_at=note.written_at)


async def _draw(
    store: Store,
    run_id: str,
    seqs: Sequence[int],
    settings: Settings,
    size: tuple[int, int],
    drawn: Drawn,
    *,
    in_film: bool,
) -> list[str]:
    from sandbox_tui.tui.app import SandboxTui
    from sandbox_tui.tui.lifecycle.first_screen import ReplayAt
    from sandbox_tui.tui.screens.cockpit.replay.replay_position import ReplayPosition
    from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen

    run = store.run(run_id)
    look = msgspec.structs.replace(settings.ui, animations=False, images="blocks", title=False)
    first = ReplayAt(run, ReplayPosition(seqs[0]), in_film=in_film)
    app = SandboxTui(msgspec.structs.replace(settings, ui=look), store, first)
    try:
        async with (
            asyncio.timeout(DRAW_TIMEOUT_SECONDS),
            app.run_test(size=size, notifications=False) as pilot,
        ):
            screenshots: list[str] = []
            for seq in seqs:
                screen = app.screen
                if screenshots and isinstance(screen, ReplayScreen):
                    screen.seek(seq)
                while not isinstance(screen, ReplayScreen) or not screen.shows(seq):
                    await asyncio.sleep(POLL_SECONDS)
                    screen = app.screen
                if not screenshots:
                    draw_on_request(screen)
                await pilot.pause()
                title = shorten(screen.task_line, size[0] // 2, placeholder=" …")
                screenshots.append(screenshot(app, title, f"{run_id} {seq}"))
                drawn(len(screenshots), len(seqs))
            return screenshots
    except TimeoutError as error:
        raise StoreError(
            f"Drawing the screenshot timed out after {DRAW_TIMEOUT_SECONDS:g} s."
        ) from error
