"""Reports the state of runs to the terminal: its title, and notifications."""

from __future__ import annotations

import os

from textual.app import App

from sandbox_tui.sessions import RunRegistry
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.terminal_io.notifications import Notice, Notices
from sandbox_tui.tui.terminal_io.osc_sequences import (
    KEEP_TITLE,
    RESTORE_TITLE,
    notification_sequence,
    title_sequence,
)
from sandbox_tui.tui.terminal_io.title import title_of
from sandbox_tui.tui.textual_support.private_api import write_to_terminal


class RunAnnouncer:
    """Updates the terminal's title, and notifies the user who is looking elsewhere.

    Args:
        app: the app on that terminal.
        settings: whether and how to notify.
        runs: the runs to announce.
    """

    def __init__(self, app: App[int], settings: LiveSettings, runs: RunRegistry) -> None:
        self._app = app
        self._settings = settings
        self._runs = runs
        self._notices = Notices()
        self._title = ""

    @property
    def restore_sequence(self) -> str:
        """The sequence that restores the terminal's title after the screen has ended; or empty."""
        return RESTORE_TITLE if self._title and not self._app.is_headless else ""

    def look(self) -> None:
        """Look at the runs; report what is new."""
        for notice in self._notices.take_new(self._runs.own):
            self._tell(notice)
        if self._settings.now.ui.title:
            self._show_title(title_of(self._app.screen_stack, self._runs.unfinished))
        elif self._title:
            write_to_terminal(self._app, RESTORE_TITLE)
            self._title = ""

    def _tell(self, notice: Notice) -> None:
        match self._settings.now.ui.notify:
            case "off":
                pass
            case "desktop" if not self._app.is_web:
                sequence = notification_sequence(notice.title, notice.text, os.environ)
                write_to_terminal(self._app, sequence)
            case _:
                self._app.bell()

    def _show_title(self, title: str) -> None:
        if title != self._title and not self._app.is_web:
            keep = "" if self._title else KEEP_TITLE
            self._title = title
            write_to_terminal(self._app, keep + title_sequence(title))
