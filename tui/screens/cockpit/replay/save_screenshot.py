"""Saves a screenshot, unredacted."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten

from textual.screen import Screen

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.format.self_contained_svg import self_contained
from sandbox_tui.tui.textual_support.typed_app import app_of


def save_screenshot(screen: Screen[None], path: Path, title: str) -> None:
    """Save the screen as an SVG file, and show its path. Secrets are not redacted."""
    title = shorten(title, screen.size.width // 2, placeholder=" …")
    try:
        drawn = app_of(screen).export_screenshot(title=title)
        path.write_bytes(self_contained(drawn))
    except OSError as error:
        words = f"{path} cannot be written: {error.strerror}."
        screen.notify(sanitize_line(words), severity="error", markup=False)
        return
    words = f"Saved with secrets NOT redacted: {path}"
    screen.notify(sanitize_line(words), markup=False)
