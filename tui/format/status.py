"""The status of a run and of the reply in progress, shared by everything that shows runs."""

from __future__ import annotations

import math
import re
from itertools import takewhile
from typing import NamedTuple

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.notes import LOADING
from sandbox_tui.core.events.outcome_sign import outcome_sign
from sandbox_tui.core.events.run_state import NoteItem, ReplyItem, RunState, RunStatus
from sandbox_tui.core.events.types import ModelFailed
from sandbox_tui.core.models.usage_estimate import estimated_tokens
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.tui.format import numbers

WAITS = "waits for the model"
"""What is said of a reply before its first piece."""

SAYS = " It says: "
"""Comes before the server's own words in the description of its error."""

_STATUS = re.compile(r"\((\d{3})\)")


class StatusWords(NamedTuple):
    """How a status is shown.

    Attributes:
        sign: one column.
        words: one to three words.
        role: the palette's colour.
    """

    sign: str
    words: str
    role: str


STATUS_WORDS: dict[RunStatus, StatusWords] = {
    "starting": StatusWords("◔", "starting", "dim"),
    "running": StatusWords("●", "running", "good"),
    "paused": StatusWords("‖", "paused", "warn"),
    "frozen": StatusWords("‖", "frozen", "warn"),
    "waiting": StatusWords("◆", "waits for you", "warn"),
    "awaiting_input": StatusWords("◆", "waits for input", "warn"),
    "finished": StatusWords("✓", "submitted", "good"),
    "failed": StatusWords("✗", "ended", "bad"),
    "imported": StatusWords("○", "imported", "dim"),
}


def status_of(state: RunState) -> StatusWords:
    """Return how the status of a run is shown: one that is to pause is `pausing` until the reply in
    progress or the running call has ended, since its text or output keeps arriving; one that has
    not asked the model yet is `preparing`. `stopped_word` says whether one that waits is stopped as
    well."""
    known = STATUS_WORDS[state.status]
    if state.status == "frozen" and state.pending is not None:
        return STATUS_WORDS["waiting"]
    if state.finished is not None:
        sign, role = outcome_sign(state.finished.reason)
        return StatusWords(sign, known.words, role)
    if is_preparing(state):
        return STATUS_WORDS["starting"]._replace(words="preparing")
    is_pausing = pausing_reply(state) is not None or pauses_after_call(state)
    return known._replace(words="pausing") if is_pausing else known


def known_before_attaching(summary: RunSummary) -> StatusWords:
    """Return the status of a run of which nothing but its summary has been read."""
    if summary.waits:
        return STATUS_WORDS["waiting"]
    if summary.paused:
        return STATUS_WORDS["frozen" if summary.frozen else "paused"]
    if summary.steps:
        return STATUS_WORDS["running"]
    return STATUS_WORDS["starting"]._replace(words="attaching")


def is_preparing(state: RunState) -> bool:
    """Return whether a run that has started has asked the model for nothing yet: it copies files,
    runs the set-up commands, or finds out about the model."""
    return state.status == "running" and state.step == 0 and not state.items


def pauses_after_call(state: RunState) -> bool:
    """Return whether a run pauses once the running call has ended."""
    return state.status == "paused" and state.running is not None


def mode_words(state: RunState) -> str:
    """Return the mode of a run; of a paused one, that in which it will be resumed."""
    stopped = stopped_word(state)
    return f"{state.paused_mode} ‖ {stopped}" if stopped else state.mode


def stopped_word(state: RunState) -> str:
    """Return whether the user has paused a run or frozen its sandbox, as one word, whatever else
    its status says; empty for neither."""
    if state.mode != "paused" or state.finished is not None:
        return ""
    return "frozen" if state.frozen else "paused"


def pausing_reply(state: RunState) -> ReplyItem | None:
    """Return the reply after which the run pauses; None if it has paused, or is not to."""
    reply = unfinished_reply(state) if state.status == "paused" else None
    return None if reply is None or reply.has_failed else reply  # no retry while it is paused


def pausing_words(reply: ReplyItem, now: float) -> str:
    """Return what a run waits for before it pauses, and how far that is."""
    return f"pausing after this reply · {reply_progress(reply, now)}"


def reply_doing(item: ReplyItem) -> str:
    """Return what the model does with an unfinished reply; before its first piece arrives, nobody
    knows whether the server has begun."""
    if item.has_failed:
        return "waits to ask again"
    if item.writing or item.text.strip():
        return "writing"
    return "thinking" if item.reasoning.strip() else WAITS


def waits_for_loading(state: RunState) -> bool:
    """Return whether the reply does not come because the server is loading its model; once it has
    loaded it, the first piece of the reply says so."""
    reply = unfinished_reply(state)
    if reply is None or reply.has_failed or reply_doing(reply) != WAITS:
        return False
    since = takewhile(lambda item: item is not reply, reversed(state.items))
    return any(isinstance(item, NoteItem) and item.text == LOADING for item in since)


def doing_seconds(item: ReplyItem, now: float) -> float:
    """Return for how long the model has done what it does: writing since the first character,
    everything else since it was asked."""
    return max(0.0, now - (item.asked_at if item.wrote_at is None else item.wrote_at))


def request_waits_for_command(state: RunState) -> bool:
    """Return whether the model is asked only once a command has ended that the user lets it see."""
    commands = (item for item in state.humans.values() if item.command is not None)
    return state.finished is None and any(
        item.told_to_model and item.finished is None and not item.withdrawn for item in commands
    )


def next_try_when(state: RunState) -> str:
    """Return what another try of a failed reply waits for, in words: the user's, or a command of
    theirs; empty if it follows after its time."""
    if stopped_word(state):
        return "once you resume"
    return "after your command" if request_waits_for_command(state) else ""


def retry_words(failure: ModelFailed, now: float, *, when: str = "") -> str:
    """Return when the model is asked again after a failure.

    Args:
        failure: the last one.
        now: the run's clock in seconds.
        when: see `next_try_when`.
    """
    if failure.retry_in is None:
        return "the model failed"
    if when:
        return f"{_next_try(failure)} {when}"
    left = max(0.0, failure.t + failure.retry_in - now)
    return f"{_next_try(failure)} in {_whole_seconds(math.ceil(left))}"


def giving_up_words(failure: ModelFailed, now: float) -> str:
    """Return how long the run goes on asking a model that fails; empty if the next try is the last
    one, or that is unknown."""
    wait = failure.retry_in or 0.0
    if failure.gives_up_in is None or failure.gives_up_in <= wait:
        return ""
    left = max(0.0, failure.t + failure.gives_up_in - now)
    return f"gives up in {_whole_seconds(math.ceil(left))}"


def _next_try(failure: ModelFailed) -> str:
    return f"try {failure.attempt + 1} of {failure.max_attempts}"


def reply_progress(item: ReplyItem, now: float, *, when: str = "") -> str:
    """Return what the model does with an unfinished reply, with its seconds.

    Args:
        item: the reply.
        now: the run's clock in seconds.
        when: of a failed one, see `next_try_when`.
    """
    if item.has_failed:
        return retry_words(item.failures[-1], now, when=when)
    words = f"{reply_doing(item)} {_whole_seconds(doing_seconds(item, now))}"
    if not item.failures:
        return words
    return f"{_next_try(item.failures[-1])} · {words}"


def _whole_seconds(seconds: float) -> str:
    return f"{int(seconds)}s" if seconds < 60 else short_duration(seconds)  # tenths would flicker


def is_retrying(state: RunState) -> bool:
    """Return whether the run waits before it asks the model again after a failure; one that is
    paused does not ask it."""
    return awaits_next_try(state) and not stopped_word(state)


def awaits_next_try(state: RunState) -> bool:
    """Return whether the last try to get a reply failed, and the next one is yet to come."""
    reply = unfinished_reply(state)
    return reply is not None and reply.has_failed and reply.failures[-1].retry_in is not None


def retry_reason(state: RunState) -> str:
    """Return why the reply that the run waits for did not come before, on one line, the status and
    the server's own words first; empty if it is the first try."""
    reply = unfinished_reply(state)
    if reply is None or not reply.failures:
        return ""
    failure = reply.failures[-1]
    return short_error(failure.error, failure.status)


def short_error(error: str, status: int | None = None) -> str:
    """Return an error on one line, the HTTP status and the server's own words first."""
    ours, _, theirs = error.partition(SAYS)
    found = _STATUS.search(ours)
    code = found[1] if status is None and found is not None else status
    words = theirs or ours
    return sanitize_line(words if code is None else f"{code}: {words}")


def step_words(state: RunState, *, most: bool = False) -> str:
    """Return the current step, with the maximum if `most`; of a run that has ended, its steps as
    everything else counts them: without a reply that never came."""
    if state.finished is not None:
        return numbers.counted(state.finished.totals.steps, "step")
    limit = f"/{state.started.limits.max_steps}" if most and state.started is not None else ""
    return f"step {state.step}{limit}"


def unfinished_reply(state: RunState) -> ReplyItem | None:
    """Return the reply that the run is waiting for, if any."""
    reply = state.reply
    return None if reply is None or reply.ended or state.finished is not None else reply


def output_tokens_so_far(state: RunState) -> tuple[int, bool]:
    """Return a run's output tokens with those of the unfinished reply, and whether the number is
    an estimate: servers count a reply only when it is complete."""
    usage, reply = state.totals.usage, unfinished_reply(state)
    if reply is None or reply.has_failed:  # a part that arrived before a failure is counted
        return usage.output_tokens, usage.estimated
    written = reply_tokens(reply)
    return usage.output_tokens + written, usage.estimated or bool(written)


def reply_tokens(item: ReplyItem) -> int:
    """Return the tokens of an unfinished reply so far, as estimated by its length."""
    arguments = (text for _, text in item.writing.values())
    return estimated_tokens(item.text, item.reasoning, *arguments)


def short_remark(item: ReplyItem) -> str:
    """Return why a reply has no call, in a few words; empty if it has one."""
    words = re.split(r"[.;]", item.remark)[0]
    return words[:1].lower() + words[1:]
