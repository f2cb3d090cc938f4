"""Reads the config file again before something uses the settings, if another program changed it."""

from __future__ import annotations

from typing import Any

from textual.app import App

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import config_file
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.textual_support.toasts import RESULT_SECONDS, DedupedToasts


def reread_settings(app: App[Any], settings: LiveSettings) -> None:
    """Read the config file again if it has changed, or say what is wrong with it; what is to apply
    is applied by those who watch the settings."""
    before = settings.problem
    problem = settings.reread()
    if before and settings.problem != before and isinstance(app, DedupedToasts):
        app.remove_shown_toast(sanitize_line(before), "")
    if problem:
        app.notify(sanitize_line(problem), severity="warning", markup=False, timeout=10)
    elif before and not settings.problem:
        words = f"{config_file().name} is valid again."
        app.notify(words, markup=False, timeout=RESULT_SECONDS)
