"""Why a screen cannot steer a run at this moment, whatever the action."""

from __future__ import annotations

from sandbox_tui.core.events.run_phase import Phase
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.run_handle import RunHandle
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.cockpit.not_shown_yet import BEING_READ
from sandbox_tui.tui.screens.cockpit.why_only_watched import why_only_watched

CONTROL = "terminal is in control"
"""Words of the notices that are no longer true once this screen has taken control."""


def why_disconnected(worker: RunHandle) -> str:
    """Return why a run of another program can no longer be reached, though it may go on; empty if
    it can, or if it is one of this program."""
    is_cut = isinstance(worker, RunClient) and worker.ended.is_set() and worker.failure is not None
    return "the connection to the run's program has ended" if is_cut else ""


def why_not_steered(worker: RunHandle) -> str:
    """Return why this screen cannot steer a run now; empty if it can."""
    if why := why_only_watched(worker):
        return why
    if why := why_disconnected(worker):
        return why
    if isinstance(worker, RunClient) and worker.recorded is None:  # it has yet to connect
        return BEING_READ
    if not worker.steers:
        return f"another {CONTROL}; {hint('live.steer')} takes control"
    if worker.run is None:
        return "the run is starting"
    if not worker.run.steerable:
        ending = worker.run.phase is Phase.FINISHING
        return "this run is ending" if ending else "this run has ended"
    return ""
