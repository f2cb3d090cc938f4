"""What a running sample is doing, in a few words."""

from __future__ import annotations

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import CallItem, RunState
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions import RunWorker
from sandbox_tui.tui.format.status import STATUS_WORDS, reply_doing, unfinished_reply

MAX_CHARS = 300


def activity_of(worker: RunWorker) -> str:
    """Return what a run is currently doing."""
    state = worker.state
    if state.status in ("paused", "frozen", "waiting", "awaiting_input"):
        return STATUS_WORDS[state.status].words
    if state.status == "starting":
        return "the sandbox is starting"
    call, reply = _last_call(state), unfinished_reply(state)
    doing = "" if reply is None else reply_doing(reply)
    if call is None:
        return doing or "the run is starting"
    name = short_name(sanitize_line(call.call.name))
    words = f"{name} {sanitize_line(summarize_call(call.call.name, call.arguments))}"
    if call.finished is None:
        return words[:MAX_CHARS].rstrip()
    done = f"{words[:MAX_CHARS]} ✓"
    return f"{doing} · {done}" if doing else done


def _last_call(state: RunState) -> CallItem | None:
    return next((item for item in reversed(state.items) if isinstance(item, CallItem)), None)
