"""Begins the runs of the command line, and warns of models that their servers do not list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunRegistry

if TYPE_CHECKING:  # without a screen, Textual is not imported
    from textual.app import App

    from sandbox_tui.sessions.remote.run_handle import RunHandle


def begin_first(
    app: App[int], requests: Sequence[RunRequest], workers: RunRegistry, warn: Callable[[str], None]
) -> list[RunHandle]:
    """Begin runs; their models are checked meanwhile."""
    begun: list[RunHandle] = [workers.begin(request) for request in requests]
    app.run_worker(warn_of_unlisted_models(requests, warn), group="server")
    return begun


async def warn_of_unlisted_models(
    requests: Sequence[RunRequest], warn: Callable[[str], object]
) -> None:
    """Ask the server of each model once, and warn of models that it does not list: it may load them
    on request."""
    from sandbox_tui.core.models.unlisted_model import unlisted_warning

    asked = {
        (one.settings.model.base_url, one.settings.model.name): one.settings.model
        for one in requests
        if one.model is None
    }
    for settings in asked.values():
        if words := await unlisted_warning(settings):
            warn(words)
