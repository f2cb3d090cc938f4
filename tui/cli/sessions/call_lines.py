"""The calls of a session as lines of text, for `sandbox-tui sessions show`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions.store.tables.calls import CallRow
from sandbox_tui.tui.format.compared.human_words import decision_words

MAX_CHARACTERS = 100
"""Maximum characters of a call's summary."""

_NOT_RUN = {"reject": "rejected", "skip": "skipped", "answer": "answered"}
"""Outcome of a call that did not run, by verdict."""


def call_lines(calls: Sequence[CallRow]) -> Iterator[str]:
    """Yield one line per call: number, outcome, seconds, tool, summary, and who edited it."""
    width = max((len(_outcome(call)) for call in calls), default=0)
    for call in calls:
        seconds = "" if call.ok is None else short_duration(call.duration)
        words = f"{short_name(call.tool)} {summarize_call(call.tool, call.arguments)}"
        summary = sanitize_line(words)[:MAX_CHARACTERS].rstrip()
        summary += f"  ({decision_words(call)})" if call.verdict == "edit" else ""
        yield f"{call.number:>4}  {_outcome(call):<{width}}  {seconds:>7}  {summary}"


def _outcome(call: CallRow) -> str:
    if call.verdict in _NOT_RUN:
        return _NOT_RUN[call.verdict]
    if call.ok is None:
        return "no result"
    if call.ok:
        return "ok"
    if call.timed_out:
        return "timed out"
    if call.interrupted:
        return "interrupted"
    return f"exit {call.exit_code}" if call.exit_code else "failed"
