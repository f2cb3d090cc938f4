"""A toast that stays as long as a run waits because its events cannot be stored."""

from __future__ import annotations

from typing import cast

from textual.screen import Screen

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.textual_support.toasts import RESULT_SECONDS, DedupedToasts
from sandbox_tui.tui.textual_support.typed_app import app_of

TITLE = "the run waits"

TIMEOUT_SECONDS = 86400
"""The toast is removed earlier, when the run continues."""


class StorageToast:
    """Tells on one screen why its run waits, and when it continues.

    Args:
        screen: shows the run.
    """

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._shown = ""

    def show(self, storage_error: str) -> None:
        """Show why the run cannot be stored right now; empty if it can."""
        if storage_error == self._shown:
            return
        app = cast("DedupedToasts[int]", app_of(self._screen))
        if self._shown:
            app.remove_shown_toast(_words(self._shown), TITLE)
        self._shown = storage_error
        if storage_error:
            words = _words(storage_error)
            self._screen.notify(
                words, title=TITLE, severity="warning", markup=False, timeout=TIMEOUT_SECONDS
            )
        else:
            self._screen.notify(
                "Recording works again.", title="the run continues", timeout=RESULT_SECONDS
            )


def _words(storage_error: str) -> str:
    return f"{sanitize_line(storage_error)} The run continues then."
