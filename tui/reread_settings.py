"""Reads the config file again before something uses the settings, if another program changed it."""

from __future__ import annotations

from typing import Any

from textual.app import App

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.live_settings import LiveSettings


def reread_settings(app: App[Any], settings: LiveSettings) -> None:
    """Read the config file again if it has changed, or say what is wrong with it; what is to apply
    is applied by those who watch the settings."""
    if problem := settings.reread():
        app.notify(sanitize_line(problem), severity="warning", markup=False, timeout=10)
