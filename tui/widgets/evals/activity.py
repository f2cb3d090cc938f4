"""What a running sample is doing, in a few words, and its figures so far."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.events.run_state import CallItem, RunState
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.tui.format.status import (
    output_tokens_so_far,
    reply_doing,
    status_of,
    unfinished_reply,
    waits_for_loading,
)

MAX_CHARS = 300


@dataclass(frozen=True, slots=True)
class Activity:
    """A running sample at a moment.

    Attributes:
        words: what it is doing.
        sample: the sample with its run's current figures.
        is_loading: whether it waits for a server that is loading its model.
    """

    words: str
    sample: SampleResult
    is_loading: bool = False

    @classmethod
    def of(cls, sample: SampleResult, state: RunState) -> Activity:
        """Return what a sample is doing, from the state of its run."""
        return cls(_doing(state), _so_far(sample, state), waits_for_loading(state))


def _so_far(sample: SampleResult, state: RunState) -> SampleResult:
    written, estimated = output_tokens_so_far(state)
    return msgspec.structs.replace(
        sample,
        steps=state.step,
        input_tokens=state.totals.usage.input_tokens,
        output_tokens=written,
        estimated=estimated,
    )


def _doing(state: RunState) -> str:
    if state.status in ("paused", "frozen", "waiting", "awaiting_input"):
        return status_of(state).words
    if state.status == "starting":
        return "the sandbox is starting"
    call, reply = _last_call(state), unfinished_reply(state)
    doing = "" if reply is None else reply_doing(reply)
    if waits_for_loading(state):
        doing = "the server loads its model"
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
