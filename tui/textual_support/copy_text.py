"""Copies a text to the clipboard."""

from __future__ import annotations

from textual.app import App

from sandbox_tui.core.base.sanitize import sanitize_line


def copy(app: App[int], text: str) -> None:
    """Copy a text to the clipboard, and show it, since not every terminal copies."""
    app.copy_to_clipboard(text)
    app.notify(f"Copied {sanitize_line(text)}.", markup=False)
