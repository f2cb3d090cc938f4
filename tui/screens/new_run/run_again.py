"""Runs the task of a session again: the form, filled with what the session ran with."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual.app import App
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.typed_path import is_there
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.events import types as e
from sandbox_tui.core.lineage.run_again import request_again
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry, RunWorker
from sandbox_tui.sessions.relations.inherited_input import inherited_input
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.reread_settings import reread_settings
from sandbox_tui.tui.screens.dialogs.form import Mistakes, Texts
from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog
from sandbox_tui.tui.screens.new_run.run_mistakes import without_pack, without_server
from sandbox_tui.tui.screens.new_run.started_runs import show_started
from sandbox_tui.tui.screens.new_run.unstarted_runs import give_back
from sandbox_tui.tui.textual_support.toasts import complain_here


class RunAgainDialog(NewRunDialog):
    """The form for new runs, filled with a request.

    Args:
        live_settings: the current settings, to save others as defaults.
        again: the request to start from; what the form does not show stays as it is there.
        draft: texts from when the form was last closed; updated on leaving.
    """

    HEADING = "run again"

    KEEPS_DRAFT = False

    SCOPED_CSS = False  # its rules are those of `NewRunDialog`, which they name

    def __init__(self, live_settings: LiveSettings, again: RunRequest, draft: Texts) -> None:
        super().__init__(live_settings, draft)
        self._again = again
        agent = again.settings.agent
        mode = agent.mode if again.mode in (None, "paused") else again.mode
        output = _as_written(agent.output, live_settings.now.agent.output)
        changes = {"agent.mode": mode, "agent.output": output}
        self._settings = config.changed(again.settings, changes)

    @override
    def fill(self) -> None:
        self.put("task", self._again.task)
        self.put("seed", "" if self._again.seed is None else str(self._again.seed))
        self.put("input", "" if self._again.input is None else str(self._again.input))
        if self._again.input is not None and not is_there(self._again.input):
            self.call_after_refresh(self._mark_gone_input)

    def _mark_gone_input(self) -> None:
        """Say that the recorded input no longer exists, unless another one is entered already."""
        if self.typed()["input"] == str(self._again.input):
            self.mark({"input": "This path no longer exists."})

    @override
    def hint_of(self, name: str) -> str:
        files = len(self._again.files)
        if name != "input" or not files:
            return super().hint_of(name)
        also = "1 recorded file is" if files == 1 else f"{files} recorded files are"
        return f"{super().hint_of(name)}; {also} copied, too"

    @property
    @override
    def has_server(self) -> bool:
        return super().has_server and not (self._again.model is not None and self._keeps_model)

    @property
    @override
    def way_back(self) -> str:
        return f"{hint('home.run_again')} on this session opens it again"

    @property
    @override
    def is_draft_worth_a_word(self) -> bool:
        return bool(self._draft.texts)

    @override
    def request_with(self, settings: config.Settings) -> RunRequest:
        return replace(
            self._again,
            task="",
            settings=settings,
            model=self._again.model if self._keeps_model else None,
            pack=self._again.pack if self._keeps_prompts else None,
        )

    @override
    def unusable(self, settings: config.Settings) -> Mistakes:
        scripted = self._again.model is not None and self._keeps_model
        recorded = self._again.pack is not None and self._keeps_prompts
        found: Texts = {}
        if not scripted:
            found |= without_server(settings)
        if not recorded:
            found |= without_pack(settings)
        return found

    @override
    def changes_to_keep(self, typed: Texts) -> dict[str, Any]:
        """Leave out a model that is no server's, and prompts that are no pack."""
        changes = super().changes_to_keep(typed)
        if self._again.model is not None and self._keeps_model:
            changes = {k: v for k, v in changes.items() if not k.startswith("model.")}
        if self._again.pack is not None and self._keeps_prompts:
            changes.pop("agent.prompts", None)
        return changes

    @property
    def _keeps_model(self) -> bool:
        return not {"model", "url"} & set(self.unsaved)

    @property
    def _keeps_prompts(self) -> bool:
        return "prompts" not in self.unsaved


def _as_written(folder: str, setting: str) -> str:
    """Return the recorded folder of the results as the user writes it: as in the settings if it is
    the same, below the current folder without that, else whole."""
    if Path(setting).expanduser().absolute() == Path(folder):
        return setting
    here = Path.cwd()
    is_below = Path(folder).is_relative_to(here) and here != here.parent
    return str(Path(folder).relative_to(here)) if is_below else folder


class RunAgain:
    """Opens the form, and starts the runs that it describes.

    Args:
        app: shows the form and the runs.
        settings: the current settings.
        runs: the runs of this program, and the store with all sessions.
    """

    def __init__(self, app: App[int], settings: LiveSettings, runs: RunRegistry) -> None:
        self._app = app
        self._settings = settings
        self._runs = runs
        self._drafts: dict[str, Texts] = {}

    @property
    def unsaved(self) -> bool:
        """Whether a form was changed and not started."""
        return any(self._drafts.values())

    async def ask(self, run_id: str) -> None:
        """Show the form for a session, then start what it describes."""
        reread_settings(self._app, self._settings)
        try:
            again = await asyncio.to_thread(self._request_of, run_id)
        except SandboxTuiError as error:
            complain_here(self._app, str(error))
            return
        draft = self._drafts.setdefault(run_id, {})
        form = RunAgainDialog(self._settings, again, draft)
        requests = await self._app.push_screen_wait(form)
        if requests:
            self._start(requests, run_id, form.started_with)

    def _request_of(self, run_id: str) -> RunRequest:
        store = self._runs.store
        run = store.run(run_id)
        first = store.events_at(run.id, [1]).get(1)
        if not isinstance(first, e.RunStarted):
            raise SandboxTuiError("This session does not record how it started.")
        blobs = store.blobs(run.id)
        return request_again(
            *(first, self._settings.now, blobs),
            trusted=not run.imported,
            inherited_input=inherited_input(store, run),
        )

    def _start(self, requests: Sequence[RunRequest], run_id: str, typed: Texts) -> None:
        workers = [self._runs.begin(request) for request in requests]

        def left(_: None) -> None:
            self._app.run_worker(self._give_back(workers, run_id, typed), group="again")

        show_started(self._app, workers, self._runs, left)

    async def _give_back(self, workers: Sequence[RunWorker], run_id: str, typed: Texts) -> None:
        """If the runs could not start, open the form again with what was typed."""
        screen = self._app.screen
        draft = self._drafts.setdefault(run_id, {})
        key = hint("home.run_again")
        if await give_back(screen, workers, typed, draft, key) and screen.is_current:
            await self.ask(run_id)
