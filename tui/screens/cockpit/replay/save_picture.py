"""A picture of the screen, as it is: secrets too."""

from __future__ import annotations

from pathlib import Path

from textual.screen import Screen

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.format.self_contained_svg import self_contained
from sandbox_tui.tui.textual_support.typed_app import app_of


def save_picture(screen: Screen[None], path: Path, title: str) -> None:
    """Save what is on the screen as an SVG, and say where."""
    try:
        drawn = app_of(screen).export_screenshot(title=title)
        path.write_bytes(self_contained(drawn))
    except OSError as error:
        words = f"{path} cannot be written: {error.strerror}."
        screen.notify(sanitize_line(words), severity="error", markup=False)
        return
    words = f"Saved with secrets NOT redacted: {path}"
    screen.notify(sanitize_line(words), markup=False)
