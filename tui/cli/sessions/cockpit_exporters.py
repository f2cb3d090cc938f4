"""Export formats drawn by the app itself: screenshots and films of the cockpit."""

from __future__ import annotations

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions.interchange.exports import Exporter, Part
from sandbox_tui.tui.cli.sessions.cockpit_svg import (
    MAX_SIZE,
    Drawn,
    cockpit_film,
    cockpit_screenshot,
)
from sandbox_tui.tui.cli.sessions.drawing_progress import show_progress
from sandbox_tui.tui.film.film_process import FILM, FILM_ABOUT, FILM_SUFFIX


def screenshot_exporter(at: str, size: str, theme: str | None) -> Exporter:
    """Return an exporter for a screenshot of the cockpit at one position.

    Raises:
        ConfigError: the size or a setting is not valid.
    """
    cells, settings = _cells(size), load({"ui.theme": theme})
    return Exporter(
        "svg",
        "the cockpit at a moment",
        ".svg",
        lambda recording: [Part(".svg", cockpit_screenshot(recording, at, settings, cells))],
    )


def film_exporter(size: str, theme: str | None, drawn: Drawn = show_progress) -> Exporter:
    """Return an exporter for a film of the cockpit.

    Args:
        size: columns and rows, such as 160x45.
        theme: name of the theme; None for that of the settings.
        drawn: is told about the progress.

    Raises:
        ConfigError: the size or a setting is not valid.
    """
    cells, settings = _cells(size), load({"ui.theme": theme})
    return Exporter(
        FILM,
        FILM_ABOUT,
        FILM_SUFFIX,
        lambda recording: [Part(FILM_SUFFIX, cockpit_film(recording, settings, cells, drawn))],
    )


def _cells(size: str) -> tuple[int, int]:
    """Parse the columns and rows of a screenshot.

    Raises:
        ConfigError: the text is not a size, or the size is out of range.
    """
    columns, _, rows = size.lower().partition("x")
    if not (columns.isdecimal() and rows.isdecimal()):
        raise ConfigError(f"{size!r} is not a size: use 160x45, for example.")
    wanted = int(columns), int(rows)
    if not (40 <= wanted[0] <= MAX_SIZE[0] and 10 <= wanted[1] <= MAX_SIZE[1]):
        raise ConfigError(f"A screenshot has 40x10 to {MAX_SIZE[0]}x{MAX_SIZE[1]} cells.")
    return wanted
