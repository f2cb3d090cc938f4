"""Why a run can only be watched from here."""

from __future__ import annotations

from sandbox_tui.sessions.remote.recorded_run import RecordedRun
from sandbox_tui.sessions.remote.run_handle import RunHandle


def why_only_watched(run: RunHandle) -> str:
    """Return why no screen of this program may steer a run; empty if one may."""
    if run.can_be_steered:
        return ""
    if isinstance(run, RecordedRun):
        return "this run goes on in another terminal: here it can only be watched"
    return "this run is on a cluster, where it can only be watched"
