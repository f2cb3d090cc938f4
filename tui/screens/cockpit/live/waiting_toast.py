"""A toast about a call that begins to wait while a dialog covers the keys that decide on it."""

from __future__ import annotations

from typing import cast

from textual.screen import Screen

from sandbox_tui.tui.textual_support.toasts import DedupedToasts
from sandbox_tui.tui.textual_support.typed_app import app_of

TIMEOUT_SECONDS = 60
"""The toast is removed earlier, when the dialog is closed or the call is decided on."""


class WaitingToast:
    """Tells, over one screen's dialogs, that a call waits.

    Args:
        screen: shows the run.
    """

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._number: int | None = None
        self._shown = ""

    def sync(self, number: int | None) -> None:
        """Show the toast if a call has just begun to wait, unless the screen itself is visible.

        Args:
            number: of the waiting call, if any.
        """
        is_covered = app_of(self._screen).screen is not self._screen
        is_new, self._number = number != self._number, number
        if is_new or not is_covered:
            self._remove()
        if is_new and is_covered and number is not None:
            self._shown = f"Call {number} waits for you."
            self._screen.notify(self._shown, severity="warning", timeout=TIMEOUT_SECONDS)

    def _remove(self) -> None:
        if self._shown:
            cast("DedupedToasts[int]", app_of(self._screen)).remove_shown_toast(self._shown, "")
            self._shown = ""
