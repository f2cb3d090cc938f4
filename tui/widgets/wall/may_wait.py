"""Whether calls of runs can wait for the user, so that the wall keeps room to show them."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox_tui.sessions import RunWorker
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.tui.widgets.wall.run_facts import kind_of


def may_wait(runs: Iterable[FoldedRun]) -> bool:
    """Return whether a call of one of these runs waits for the user, or its mode lets it."""
    return any(kind_of(run) == "waiting" or _asks(run) for run in runs)


def _asks(run: FoldedRun) -> bool:
    if run.state.started is None and isinstance(run, RunWorker):
        request = run.request
        mode = request.mode or request.settings.agent.mode
    else:
        mode = run.state.mode
    return kind_of(run) == "running" and mode in ("ask", "step")
