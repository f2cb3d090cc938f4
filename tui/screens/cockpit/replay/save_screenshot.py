"""Saves a screenshot of a replay, without secrets.

If the session has none, it is what is on the screen. Otherwise, the cockpit is drawn again at the
same event, from a copy in which they are redacted: on the screen, a secret may be wrapped or cut,
so that it could not be found there.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from textwrap import shorten

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.write_file import write_file
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.interchange.export_files import Export, redacted_words
from sandbox_tui.sessions.interchange.exports import Recording
from sandbox_tui.sessions.interchange.exports.bundle import with_contents
from sandbox_tui.sessions.interchange.known_secrets import known_secrets
from sandbox_tui.sessions.interchange.redaction import Redactor
from sandbox_tui.tui.film.film_process import FilmRequest, film_export
from sandbox_tui.tui.format.self_contained_svg import self_contained
from sandbox_tui.tui.textual_support.toasts import RESULT_SECONDS
from sandbox_tui.tui.textual_support.typed_app import app_of

MIN_SIZE, MAX_SIZE = (40, 10), (400, 200)
"""Columns and rows that can be drawn again."""


def screenshot_of(screen: Screen[None], title: str) -> bytes:
    """Return what is on the screen as a self-contained SVG file. Secrets are not redacted."""
    title = shorten(title, screen.size.width // 2, placeholder=" …")
    return self_contained(app_of(screen).export_screenshot(title=title))


async def save_screenshot(
    screen: Screen[None], path: Path, drawn: bytes, store: Store, run: RunSummary, seq: int
) -> None:
    """Save a screenshot, redacted if the session has secrets; show its path.

    Args:
        screen: shows the path, or why there is no screenshot.
        path: the file.
        drawn: what was on the screen.
        store: the database with the session.
        run: the session.
        seq: the event that was displayed.
    """
    try:
        words = "Saved"
        if await asyncio.to_thread(has_secrets, store, run):
            screen.notify("Drawing the screenshot with secrets redacted.", timeout=3)
            export = await _drawn_without(screen, store, run, seq)
            drawn, words = export.parts[0].data, f"Saved, {redacted_words(export)}"
        await asyncio.to_thread(write_file, path, drawn)
    except SandboxTuiError as error:
        screen.notify(sanitize_line(str(error)), severity="error", markup=False)
        return
    screen.notify(sanitize_line(f"{words}: {path}"), markup=False, timeout=RESULT_SECONDS)


def has_secrets(store: Store, run: RunSummary) -> bool:
    """Return whether anything in a session looks like a secret.

    Raises:
        StoreError: the session is empty or cannot be read.
    """
    redactor = Redactor(known_secrets())
    with_contents(Recording(store, run.id, redactor))
    return redactor.found > 0


async def _drawn_without(screen: Screen[None], store: Store, run: RunSummary, seq: int) -> Export:
    """Return a drawing of the cockpit at an event, with secrets redacted."""
    columns, rows = (
        min(max(size, least), most)
        for size, least, most in zip(screen.size, MIN_SIZE, MAX_SIZE, strict=True)
    )
    request = FilmRequest(
        database=str(store.path),
        run_id=run.id,
        theme=app_of(screen).theme,
        redact=True,
        at=f"seq:{max(1, seq)}",
        size=f"{columns}x{rows}",
    )
    return await film_export(request, run)
