"""What a running sample is doing, in a few words, and its figures so far."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.events.run_state import CallItem, ReplyItem, RunState
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.tui.format.call_end import end_words
from sandbox_tui.tui.format.status import (
    WAITS,
    output_tokens_so_far,
    reply_doing,
    reply_progress,
    retry_reason,
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
        failure: why the last request failed, after which it asks again; empty once it has a reply.
    """

    words: str
    sample: SampleResult
    is_loading: bool = False
    failure: str = ""

    @classmethod
    def of(cls, sample: SampleResult, state: RunState, now: float) -> Activity:
        """Return what a sample is doing, from the state of its run and its clock in seconds."""
        return cls(
            _doing(state, now),
            _so_far(sample, state),
            waits_for_loading(state),
            retry_reason(state) if _asks_again(state) else "",
        )


def _so_far(sample: SampleResult, state: RunState) -> SampleResult:
    written, estimated = output_tokens_so_far(state)
    return msgspec.structs.replace(
        sample,
        steps=state.step,
        input_tokens=state.totals.usage.input_tokens,
        output_tokens=written,
        estimated=estimated,
    )


def _asks_again(state: RunState) -> bool:
    failed = _failed_reply(state)
    return failed is not None and failed.failures[-1].retry_in is not None


def _failed_reply(state: RunState) -> ReplyItem | None:
    """Return the reply that a failure has kept away until now."""
    reply = unfinished_reply(state)
    if reply is None or not reply.failures:
        return None
    return reply if reply.has_failed or reply_doing(reply) == WAITS else None


def _doing(state: RunState, now: float) -> str:
    if state.status in ("paused", "frozen", "waiting", "awaiting_input"):
        return status_of(state).words
    if state.status == "starting":
        return "the sandbox is starting"
    if (failed := _failed_reply(state)) is not None:
        return f"{reply_progress(failed, now)}: {retry_reason(state)}"[:MAX_CHARS]
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
    done = f"{words[:MAX_CHARS].rstrip()} {end_words(call)}"
    return f"{doing} · {done}" if doing else done


def _last_call(state: RunState) -> CallItem | None:
    return next((item for item in reversed(state.items) if isinstance(item, CallItem)), None)
