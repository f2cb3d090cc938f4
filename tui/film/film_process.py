"""Draws a film or screenshot of the cockpit in a program of its own, so that the screen stays
responsive.

The program is `sandbox_tui.tui.cli.sessions.film_worker`. It takes a `FilmRequest` as its argument
and writes one line of JSON (`FilmReport`) per frame to stdout.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable

import msgspec

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.interchange.export_files import Export
from sandbox_tui.sessions.interchange.exports import Part

FILM = "film"
"""Name of the format."""

DEFAULT_SIZE = "160x45"
"""Columns and rows of the cockpit in a picture."""

FILM_ABOUT = "the cockpit from beginning to end: an SVG that plays by itself"
FILM_SUFFIX = ".film.svg"

_WORKER = "sandbox_tui.tui.cli.sessions.film_worker"


class FilmRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to draw.

    Attributes:
        database: path of the database.
        run_id: the session.
        theme: name of the theme.
        redact: whether to redact everything that looks like a secret.
        at: position of a screenshot, such as `seq:12`; empty for a film.
        size: columns and rows.
    """

    database: str
    run_id: str
    theme: str
    redact: bool
    at: str = ""
    size: str = DEFAULT_SIZE


class FilmReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the program has drawn so far.

    Attributes:
        frames: number of frames drawn.
        total: number of frames of the film.
        size: size of the film in bytes, which follows the line; None while frames are missing.
        redacted: number of redacted places that looked like a secret.
        error: why there is no film; empty if nothing went wrong.
    """

    frames: int = 0
    total: int = 0
    size: int | None = None
    redacted: int | None = None
    error: str = ""


def _nothing(drawn: int, total: int) -> None:
    """Ignore the progress."""


async def film_export(
    request: FilmRequest, run: RunSummary, drawn: Callable[[int, int], None] = _nothing
) -> Export:
    """Draw a film or a screenshot; a cancelled call ends the program.

    Args:
        request: what to draw.
        run: the session.
        drawn: called with the number of frames drawn, and of all frames.

    Raises:
        StoreError: the film could not be drawn.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", _WORKER, msgspec.json.encode(request).decode()),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        async for line in process.stdout:
            report = msgspec.json.decode(line, type=FilmReport)
            if report.error:
                raise StoreError(report.error)
            drawn(report.frames, report.total)
            if report.size is not None:
                film = await process.stdout.readexactly(report.size)
                return _export(request, run, film, report.redacted)
    except (asyncio.IncompleteReadError, msgspec.DecodeError) as error:
        raise StoreError(_ENDED) from error
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()  # also closes the pipe
    raise StoreError(_ENDED)


_ENDED = (
    "The program that draws the film ended early. Export it on the command line to see why: "
    "sandbox-tui sessions export ID -f film"
)


def _export(request: FilmRequest, run: RunSummary, data: bytes, redacted: int | None) -> Export:
    name, suffix = ("svg", ".svg") if request.at else (FILM, FILM_SUFFIX)
    return Export(run=run, format=name, parts=(Part(suffix, data),), redacted=redacted)
