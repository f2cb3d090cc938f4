"""The ways to start runs on the home screen: the form for new runs, and the demo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.screen import Screen

from sandbox_tui.sessions import RunRegistry
from sandbox_tui.sessions.relations.last_model import LastModel
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.reread_settings import reread_settings
from sandbox_tui.tui.screens.home.model_offering import ModelOffering
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.sessions.session_list import SessionList

if TYPE_CHECKING:  # screens opened from here are imported when first shown
    from sandbox_tui.core.run.run_request import RunRequest
    from sandbox_tui.sessions import RunWorker
    from sandbox_tui.tui.screens.dialogs.form import Texts


class RunStarts:
    """Starts runs from one screen and holds the draft of its form.

    Args:
        screen: contains a `SessionList`, whose cursor goes to the first run.
        settings: the current settings.
        runs: receives the runs.
        models: knows which model a run starts with if none is chosen.
    """

    def __init__(
        self,
        screen: Screen[None],
        settings: LiveSettings,
        runs: RunRegistry,
        models: ModelOffering,
    ) -> None:
        self._screen = screen
        self._settings = settings
        self._runs = runs
        self._models = models
        self._draft: Texts = {}

    @property
    def unsaved(self) -> Texts:
        """What the user typed into the form without starting it, unless it is kept on disk."""
        if not self._draft:
            return {}
        from sandbox_tui.tui.screens.new_run.kept_draft import KeptDraft

        kept = KeptDraft().read()
        return {} if kept is not None and kept.texts == self._draft else self._draft

    def open_form(self) -> None:
        """Open the form for new runs, then start them."""
        from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog

        def described(requests: Sequence[RunRequest] | None) -> None:
            if requests:
                self._screen.call_later(self.begin, requests, form.started_with)

        reread_settings(app_of(self._screen), self._settings)
        form = NewRunDialog(self._settings, self._draft, self._models.last_model)
        app_of(self._screen).push_screen(form, described)

    def play_demo(self) -> None:
        """Start the demo."""
        from sandbox_tui.tui.screens.home.demo_request import demo_request

        reread_settings(app_of(self._screen), self._settings)
        self.begin([demo_request(self._settings.now)])

    def begin(self, requests: Sequence[RunRequest], typed: Texts | None = None) -> None:
        """Start runs; `typed` is given back to the form if they cannot start."""
        from sandbox_tui.tui.screens.new_run.started_runs import show_started

        workers = [self._runs.begin(request) for request in requests]
        model = requests[0].settings.model
        if requests[0].model is None:  # not the demo
            self._models.last_model = LastModel(model.name, model.base_url)
        self._screen.query_one(SessionList).go_to(workers[0].run_id)

        def left(_: None) -> None:
            if typed is not None:
                self._screen.run_worker(self._give_back(workers, typed), group="unstarted")

        show_started(app_of(self._screen), workers, self._runs, left)

    async def _give_back(self, workers: Sequence[RunWorker], typed: Texts) -> None:
        """If the runs could not start, make their text a draft again and open the form with it."""
        from sandbox_tui.tui.screens.new_run.unstarted_runs import give_back

        key = hint("home.new")
        is_given_back = await give_back(self._screen, workers, typed, self._draft, key)
        if is_given_back and self._screen.is_current:
            self.open_form()
