"""Starts new runs where no home screen is open, such as over a run from the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from textual.app import App
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.sessions import RunRegistry, RunWorker
from sandbox_tui.sessions.relations.last_model import LastModel, last_model
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.reread_settings import reread_settings
from sandbox_tui.tui.screens.dialogs.form import Texts
from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog
from sandbox_tui.tui.screens.new_run.started_runs import show_started
from sandbox_tui.tui.screens.new_run.unstarted_runs import give_back

WAY_BACK = "“new run” in the palette"
"""What opens the form again: no key does here."""


class NewRunAnywhereDialog(NewRunDialog):
    """The form for new runs, which the palette opens."""

    SCOPED_CSS = False  # its rules are those of `NewRunDialog`, which they name

    @property
    @override
    def way_back(self) -> str:
        return f"{WAY_BACK} opens it again"


class NewRunAnywhere:
    """Opens the form over any screen, and starts the runs that it describes.

    Args:
        app: shows the form and the runs.
        settings: the current settings.
        runs: the runs of this program, and the store with all sessions.
    """

    def __init__(self, app: App[int], settings: LiveSettings, runs: RunRegistry) -> None:
        self._app = app
        self._settings = settings
        self._runs = runs
        self._draft: Texts = {}

    async def ask(self) -> None:
        """Show the form, then start what it describes."""
        reread_settings(self._app, self._settings)
        last: LastModel | None = None
        with suppress(SandboxTuiError):  # the form asks for a model then
            last = await asyncio.to_thread(last_model, self._runs.store)
        form = NewRunAnywhereDialog(self._settings, self._draft, last)
        requests = await self._app.push_screen_wait(form)
        if not requests:
            return
        workers = [self._runs.begin(request) for request in requests]

        def left(_: None) -> None:
            self._app.run_worker(self._give_back(workers, form.started_with), group="new_run")

        show_started(self._app, workers, self._runs, left)

    async def _give_back(self, workers: Sequence[RunWorker], typed: Texts) -> None:
        """If the runs could not start, open the form again with what was typed."""
        screen = self._app.screen
        is_given_back = await give_back(screen, workers, typed, self._draft, WAY_BACK)
        if is_given_back and screen.is_current:
            await self.ask()
