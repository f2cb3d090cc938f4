"""Reads the config file again before something uses the settings, if another program changed it."""

from __future__ import annotations

from typing import Any

from textual.app import App

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.live_settings import LiveSettings


def reread_settings(app: App[Any], settings: LiveSettings) -> None:
    """Apply what has changed in the config file, or say what is wrong with it."""
    before = settings.now.ui
    if problem := settings.reread():
        app.notify(sanitize_line(problem), severity="warning", markup=False, timeout=10)
    after = settings.now.ui
    if after.animations != before.animations:
        app.animation_level = "full" if after.animations else "none"
    if after.theme != before.theme and after.theme in app.available_themes:
        app.theme = after.theme
