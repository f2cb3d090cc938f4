"""The summary at the top of the Markdown report: outcome, changed files, and a table of calls."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from sandbox_tui.core.base.durations import exact_duration
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions.interchange.exports.base import (
    MAX_VERDICT_CHARS,
    Recording,
    score_of,
    shortened,
)
from sandbox_tui.sessions.interchange.exports.markdown_sanitizer import code_cell, code_line, inline
from sandbox_tui.sessions.interchange.exports.run_story import Entry, decision, did_run, unfinished
from sandbox_tui.sessions.relations.fork_origin import ForkOrigin
from sandbox_tui.sessions.store.tables.evals.verdicts import Verdict

MAX_CELL_CHARS = 80
MAX_ORIGIN_CHARS = 300
"""Maximum characters of what was changed when a session was forked."""

MAX_ROWS = 500
"""Maximum number of rows in one table."""


def outcome_sentences(recording: Recording) -> Iterable[str]:
    """Yield the outcome, in sentences."""
    summary = recording.summary
    started = datetime.datetime.fromtimestamp(summary.started_at, tz=datetime.UTC)
    failed = f" ({summary.failed_calls:,} failed)" if summary.failed_calls else ""
    outcome = inline(summary.outcome.replace("_", " "))
    error = f" {inline(summary.error)}" if summary.error else ""
    yield (
        f"**Outcome: {outcome}.** {_count(summary.steps, 'step')}, "
        f"{_count(recording.calls, 'call')}{failed}, {exact_duration(summary.seconds)}.{error}"
    )
    if recording.verdict is not None:
        yield _verdict_sentences(recording.verdict)
    cost = "" if summary.cost is None else f", ${summary.cost:.4f}"
    tags = f"\n- tags: {', '.join(map(inline, recording.tags))}" if recording.tags else ""
    model = f"- model: {inline(recording.started.model)}\n" if recording.started.model else ""
    yield (
        f"{model}- sandbox: {inline(recording.started.sandbox)}\n"
        f"- started: {started:%Y-%m-%d %H:%M} UTC\n"
        f"- tokens: {inline(summary.tokens or 'not recorded')}{cost}\n"
        f"- session: {inline(summary.id)}{tags}{_origin_lines(recording.origin)}"
    )


def _origin_lines(origin: ForkOrigin | None) -> str:
    """Return where a fork comes from and what was changed there, each on a line of the list."""
    if origin is None:
        return ""
    facts = [("fork of", f"{origin.parent}, {origin.place}"), *origin.changes]
    lines = (f"{label}: {inline(shortened(words, MAX_ORIGIN_CHARS))}" for label, words in facts)
    return "".join(f"\n- {line}" for line in lines)


def _verdict_sentences(verdict: Verdict) -> str:
    score, why = score_of(verdict), " ".join(verdict.why.split())
    expected = " ".join(verdict.expected.split())
    parts = [
        f"**{score[0].upper()}{score[1:]}.**",
        inline(shortened(why, MAX_VERDICT_CHARS)),
        f"Expected: {code_line(shortened(expected, MAX_VERDICT_CHARS))}." if expected else "",
        f"Task {inline(verdict.task)} of {inline(verdict.suite)}, mode {inline(verdict.mode)}.",
    ]
    return " ".join(filter(None, parts))


def changed_files(recording: Recording) -> Iterable[str]:
    """Yield the files that the run created, changed or deleted."""
    root = recording.started.working_dir.rstrip("/") + "/"
    changes = {
        change.path: change
        for event in recording.events
        if isinstance(event, e.FilesChanged)
        for change in event.changes
        if change.kind == "file"
    }
    before = {
        change.path
        for event in recording.events
        if isinstance(event, e.FilesListed)
        for change in event.files
    }
    rows = [
        f"| {inline(path.removeprefix(root))} | {_change_word(change, path in before)} |"
        f" {f'{change.size:,} bytes' if _shows_size(change) else ''} |"
        for path, change in sorted(changes.items())
        if change.change != "deleted" or path in before
    ]
    if rows:
        yield "## Files"
        yield "\n".join(["| file | | size |", "|---|---|---:|", *rows[:MAX_ROWS]])
    if len(rows) > MAX_ROWS:
        yield f"and {_count(len(rows) - MAX_ROWS, 'more file')}."


def _shows_size(change: e.FileChange) -> bool:
    return change.change != "deleted" and change.has_size


def _change_word(change: e.FileChange, existed: bool) -> str:
    if change.change == "deleted":
        return "deleted"
    return "changed" if existed else "new"


def table_of_calls(entries: Iterable[Entry], *, is_running: bool) -> Iterable[str]:
    """Yield the calls as a table."""
    calls = [entry.item for entry in entries if isinstance(entry.item, CallItem)]
    rows = [
        f"| {item.call.number} | {inline(short_name(item.call.name))} |"
        f" {code_cell(shortened(summarize_call(item.call.name, item.arguments), MAX_CELL_CHARS))} |"
        f" {inline(_result(item, is_running=is_running))} |"
        for item in calls[:MAX_ROWS]
    ]
    if rows:
        yield "## Calls"
        yield "\n".join(["| | tool | | result |", "|---:|---|---|---|", *rows])
    if len(calls) > MAX_ROWS:
        yield f"and {_count(len(calls) - MAX_ROWS, 'more call')}."


def _result(item: CallItem, *, is_running: bool) -> str:
    """Return the outcome of a call, in a few words."""
    decided, ended = decision(item), item.finished
    if ended is None or not did_run(item):
        words = unfinished(item, is_running=is_running)
        return " · ".join(filter(None, (words, decided))) or "did not end"
    words = [end_words(ended)]
    words += [f"exit {ended.exit_code}"] if ended.exit_code else []
    words += [decided] if decided else []
    return " · ".join(words)


def end_words(ended: e.CallFinished) -> str:
    """Return the sign of a call's end, and how long it took; one that was cut off says so."""
    if ended.interrupted:
        return "✗ interrupted"
    return f"{'✓' if ended.ok else '✗'} {exact_duration(ended.duration)}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
