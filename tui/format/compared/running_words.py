"""What a running session does now, in a few words."""

from __future__ import annotations

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.remote.sockets import is_detached
from sandbox_tui.tui.format.status import (
    pausing_reply,
    pausing_words,
    reply_progress,
    status_of,
    unfinished_reply,
)


def running_words(run: RunSummary, state: RunState, now: float) -> str:
    """Return what a session that is running does, with the sign of its status.

    Args:
        run: the session.
        state: its state.
        now: seconds on the run's clock.
    """
    status, reply = status_of(state), pausing_reply(state)
    words = status.words if state.status != "running" else _activity(state, now)
    words = words if reply is None else pausing_words(reply, now)
    where = " (detached)" if is_detached(run.id) else ""
    return f"{status.sign} {words}{where}"


def _activity(state: RunState, now: float) -> str:
    call, reply = state.running, unfinished_reply(state)
    if call is not None:
        since = call.started_at if call.started_at is not None else now
        seconds = max(0.0, now - since)
        words = f"{int(seconds)}s" if seconds < 60 else short_duration(seconds)
        return f"runs call {call.call.number} {words}"
    return "running" if reply is None else reply_progress(reply, now)
