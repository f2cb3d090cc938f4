"""Formats recorded events as lines of plain text, for runs without a screen."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.command_output import observed
from sandbox_tui.core.events.notes import note_on, resumed_words
from sandbox_tui.core.events.run_state import ReplyItem, RunState
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions.store.answers import NO_ANSWER, NOT_SUBMITTED, said_mark
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.run_end import said_in_submit

MAX_FILES = 8
"""Maximum number of changed files that a line names."""

MAX_CHARACTERS = 300
"""Maximum characters of a line from a reply or a message."""


def event_lines(event: e.AnyEvent, state: RunState) -> list[str]:
    """Return the lines for an event; none if it is not worth reporting.

    Args:
        event: the event.
        state: the run's state after it.
    """
    if isinstance(event, e.RunFinished):
        return _end_lines(event, said_in_submit(state))
    if isinstance(event, e.CallFinished):
        return _finished_lines(event, state)
    line = _run_line(event, state) or _model_line(event, state) or _call_line(event, state)
    line = line or _person_line(event)
    return [line] if line else []


def _run_line(event: e.AnyEvent, state: RunState) -> str:
    """Return the line for an event of the run as a whole: start, origin, score."""
    match event:
        case e.RunStarted():
            return _start_line(event)
        case e.RunResumed():
            return sanitize_line(resumed_words(event))
        case e.Forked():
            return _fork_line(event, state)
        case e.Repeated():
            how = sanitize_line(event.parted) or "as recorded"
            return f"run again, {event.number} of {event.of}: {how}"
        case e.Scored():
            worth = "none" if event.value is None else f"{event.value:.3g}"
            return sanitize_line(f"score: {worth} ({event.scorer}). {event.explanation}".rstrip())
        case e.Warned():
            return f"warning: {sanitize_line(event.text)}"
        case _:
            return ""


def _fork_line(event: e.Forked, state: RunState) -> str:
    again = f", {numbers.counted(event.repeats, 'call')} run again" if event.repeats else ""
    parent = sanitize_line(event.parent)
    where = f"{'in' if _is_within(event, state) else 'after'} step {event.step}"
    where = where if event.step else "before step 1"
    return f"forked from {parent} {where}{again}; new from here"


def _is_within(event: e.Forked, state: RunState) -> bool:
    """Return whether a fork shares only the beginning of its step: not all calls of the reply."""
    replies = (item for item in reversed(state.items) if isinstance(item, ReplyItem))
    reply = next((item.replied for item in replies if item.step == event.step), None)
    if reply is None or reply.reminder is not None:
        return False
    shared = sum(item.call.step == event.step for item in state.calls.values())
    return shared < max(1, len(reply.message.get("tool_calls") or ()))


def _start_line(event: e.RunStarted) -> str:
    about = {**event.sandbox_info}
    because = about.pop("chosen", "")
    facts = [f"{name} {value}" for name, value in about.items()]
    facts += [f"picked automatically: {because}"] if because else []
    head = sanitize_line(f"session {event.run_id}: {event.model} in {event.sandbox}")
    return f"{head} ({sanitize_line(', '.join(facts))})" if facts else head


def _model_line(event: e.AnyEvent, state: RunState) -> str:
    """Return the line for an event of the model's server or a reply."""
    match event:
        case e.ModelReplied():
            line = f"step {event.step} ({short_duration(event.latency)}){_reply_start(state)}"
            remark = state.reply.remark if state.reply else ""
            return f"{line} ({remark})" if remark else line
        case e.ReplyInterrupted():
            return f"step {event.step} (You stopped the reply.){_reply_start(state)}"
        case e.ModelFailed():
            again = f", next in {event.retry_in:.0f} s" if event.retry_in is not None else ""
            number = f"{event.attempt} of {event.max_attempts}"
            return f"model failed (attempt {number}{again}): {sanitize_line(event.error)}"
        case e.ToolFormatChosen():
            return f"tool calls: {event.format.title}. {sanitize_line(event.why)}"
        case e.ContextLengthFound():
            return f"context: {numbers.context(event.context)}"
        case _:
            return ""


def _call_line(event: e.AnyEvent, state: RunState) -> str:
    """Return the line for an event of a call."""
    match event:
        case e.CallHeld():
            return _waiting_line(event, state)
        case e.FilesChanged():
            changes = event.changes
            names = ", ".join(f"{c.change} {sanitize_line(c.path)}" for c in changes[:MAX_FILES])
            more = f" and {len(changes) - MAX_FILES} more" if len(changes) > MAX_FILES else ""
            return f"files: {names}{more}"
        case e.InputAwaited():
            return f"waiting: {sanitize_line(event.program)} waits for input on its terminal"
        case _:
            return ""


def _person_line(event: e.AnyEvent) -> str:
    """Return the line for the user's message, or for what the user did to files or to what runs
    without asking; decisions are part of a call's line."""
    if isinstance(event, e.RuleGranted | e.RuleRevoked):
        return sanitize_line(note_on(event).text)
    if isinstance(event, e.HumanMessage):
        return f"you: {sanitize_line(' '.join(event.text.split()))[:MAX_CHARACTERS]}"
    if not isinstance(event, e.HumanFile):
        return ""
    how = {"pull": "copied out", "push": "copied in", "edit": "edited by hand"}[event.action]
    left = "".join(f"; {sanitize_line(sentence)}" for sentence in event.left_behind)
    return f"you: {sanitize_line(event.path)} {how}{left}"


def _reply_start(state: RunState) -> str:
    """Return the beginning of the last reply's text or, if it has none, of its reasoning."""
    reply = state.reply
    words = (
        "" if reply is None else sanitize_line(" ".join((reply.text or reply.reasoning).split()))
    )
    return f": {words[:MAX_CHARACTERS]}" if words else ""


def _finished_lines(event: e.CallFinished, state: RunState) -> list[str]:
    """Return the line for a call that ended; if it failed, another one that says why."""
    item = state.calls[event.call]
    summary = sanitize_line(summarize_call(item.call.name, item.arguments))[:200]
    words = f"{short_name(sanitize_line(item.call.name))} {summary}".rstrip()
    decided = item.decided
    if decided is not None and decided.verdict in _NOT_RUN:
        who = "you" if decided.by == "human" else sanitize_line(decided.rule or "the policy")
        return [f"call {event.call} {_NOT_RUN[decided.verdict]} ({who}): {words}"]
    how = "ok" if event.ok else _how_it_failed(event)
    code = f"exit {event.exit_code}, " if event.exit_code and not event.timed_out else ""
    edited = "edited by you, " if decided is not None and decided.verdict == "edit" else ""
    line = f"call {event.call} {how} ({edited}{code}{short_duration(event.duration)}): {words}"
    why = sanitize_line(observed(event.observation).last_line)[:MAX_CHARACTERS]
    return [line, f"call {event.call} error: {why}"] if how == "failed" and why else [line]


def _how_it_failed(event: e.CallFinished) -> str:
    if event.interrupted:
        return "interrupted"
    return "timed out" if event.timed_out else "failed"


_NOT_RUN = {"reject": "not run", "skip": "skipped", "answer": "answered instead of run"}
"""Words for a call that did not run, by verdict."""


def _waiting_line(event: e.CallHeld, state: RunState) -> str:
    item = state.calls[event.call]
    summary = sanitize_line(summarize_call(item.call.name, item.arguments))[:200]
    why = f" ({sanitize_line(event.rule)})" if event.rule else ""
    name = short_name(sanitize_line(item.call.name))
    return f"waiting: call {event.call} waits for a decision{why}: {name} {summary}"


def tally_lines(ends: Sequence[e.RunFinished | None]) -> list[str]:
    """Return how several runs ended, and what they used together.

    Args:
        ends: the end of each run; None for one that has not begun, or was cut off.
    """
    reasons = Counter("unfinished" if end is None else _reason(end) for end in ends)
    counts = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    return [
        f"{numbers.counted(len(ends), 'run')}: {counts}",
        f"in total {_spent([end.totals for end in ends if end is not None])}",
    ]


def _reason(end: e.RunFinished) -> str:
    return end.reason.replace("_", " ")


def _spent(all_totals: Sequence[e.Totals]) -> str:
    usages = [totals.usage for totals in all_totals]
    tokens = sum(usage.input_tokens + usage.output_tokens for usage in usages)
    estimated = any(usage.estimated for usage in usages)
    costs = [totals.cost for totals in all_totals if totals.cost is not None]
    money = f", {numbers.cost(math.fsum(costs))}" if costs else ""
    steps, calls = (sum(getattr(t, name) for t in all_totals) for name in ("steps", "calls"))
    done = f"{numbers.counted(steps, 'step')}, {numbers.counted(calls, 'call')}"
    return f"{done}, {numbers.token_words(tokens, estimated=estimated)}{money}"


def cut_off_line(event: e.RunFinished) -> str:
    """Return the line for an end after which the run was resumed: it is no longer its end."""
    how = "was disconnected" if event.reason == "disconnected" else f"was cut off, {_reason(event)}"
    return f"{how}: {sanitize_line(event.error)}" if event.error else how


def _end_lines(event: e.RunFinished, said: str) -> list[str]:
    """Return the lines for the end of a run; `said` is the answer in its call of `submit`."""
    why = f": {sanitize_line(event.error)}" if event.error else ""
    lines = [f"ended: {_reason(event)}{why}"]
    lines.append(_spent([event.totals]))
    written = event.answer or ""
    mark = "" if event.reason == "submitted" else f" {NOT_SUBMITTED}"
    if said and not written.strip() and event.reason == "submitted":
        written, mark = said, f" {said_mark(event.answer)}"
    answer = [line for line in sanitize(written).split("\n") if line.strip()]
    lines += [f"answer{mark}: {sanitize_line(line).rstrip()}" for line in answer]
    if not answer and event.answer is not None:
        lines.append(NO_ANSWER)
    if event.output is not None:
        lines.append(f"results: {sanitize_line(event.output)}")
    return lines
