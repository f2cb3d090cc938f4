"""Prints sessions as text, for `sandbox-tui sessions`."""

from __future__ import annotations

import dataclasses
import datetime
import json
import shutil
import sys
from collections.abc import Sequence

import click
import msgspec

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.config.settings import snapshot_dir
from sandbox_tui.core.events import types as e
from sandbox_tui.core.sandboxes.snapshot_store import SnapshotStores
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.fork_origin import read_origin
from sandbox_tui.sessions.relations.running_summaries import up_to_now
from sandbox_tui.sessions.store.tables import events
from sandbox_tui.sessions.store.tables.annotations import noted_on, notes_of, tags_of
from sandbox_tui.sessions.store.tables.evals.verdicts import verdict_on
from sandbox_tui.sessions.store.tables.tool_formats import last_tool_format
from sandbox_tui.tui.cli.open_store import none_listed
from sandbox_tui.tui.cli.sessions.call_lines import call_lines
from sandbox_tui.tui.cli.sessions.session_table import samples_in_order, session_lines
from sandbox_tui.tui.format import numbers, run_end
from sandbox_tui.tui.format.answers import answer_or_why_none, score_words
from sandbox_tui.tui.format.compared.fork_facts import fork_place
from sandbox_tui.tui.format.outcome import outcome_words


def list_sessions(store: Store, limit: int, *, every: bool, as_json: bool) -> None:
    """Print the newest sessions, and how many more there are.

    Args:
        store: the database.
        limit: how many to print.
        every: whether to include samples of evaluations and rollouts.
        as_json: whether to print one JSON object per session.

    Raises:
        StoreError: the database cannot be read.
    """
    newest = store.runs(limit) if every else store.standalone_runs(limit)
    runs = up_to_now(store, samples_in_order(newest))
    total = store.count()
    listed = total if every else store.count_standalone()
    if not (runs or as_json):
        click.echo(none_listed(store))
        return
    print_sessions(runs, as_json=as_json)
    if as_json:
        return
    if len(runs) < listed:
        click.echo(f"{len(runs)} of {listed} sessions; --limit N shows more.", err=True)
    if listed < total:
        words = f"{numbers.counted(total - listed, 'session')} of evaluations and trainings"
        are = "is" if total - listed == 1 else "are"
        click.echo(f"{words} {are} not listed; --all lists all.", err=True)


def print_sessions(runs: Sequence[RunSummary], *, as_json: bool) -> None:
    """Print one line per session, or one JSON object."""
    if as_json:
        for run in runs:
            click.echo(json.dumps(dataclasses.asdict(run)))
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in session_lines(runs, width):
        click.echo(line)


def print_session_as_json(store: Store, run: RunSummary) -> None:
    """Print a session as one JSON object: the fields that lists have, and those of its own."""
    (run,) = up_to_now(store, [run])
    started_with, verdict = _settings(store, run.id), verdict_on(store, run.id)
    fields = {
        **dataclasses.asdict(run),
        "tags": tags_of(store, run.id),
        "notes": [dataclasses.asdict(note) for note in notes_of(store, run.id)],
        "settings": started_with and msgspec.to_builtins(started_with),
        "verdict": verdict and verdict._asdict(),
        "call_list": [dataclasses.asdict(call) for call in store.calls(run.id)],
    }
    click.echo(json.dumps(fields))


def print_session(store: Store, run: RunSummary) -> None:
    """Print a session's settings and figures, then its calls; empty fields have no line."""
    (run,) = up_to_now(store, [run])
    notes = [f"{noted_on(note)}: {sanitize_line(note.text)}" for note in notes_of(store, run.id)]
    snapshots, problem = SnapshotStores(snapshot_dir()).list(run.id)
    problem = problem if run.sandbox == "docker" else ""
    room = numbers.size(sum(one.size for one in snapshots))
    started_with, calls = _settings(store, run.id), store.calls(run.id)
    interrupted = sum(call.interrupted for call in calls)
    labels = started_with.labels if started_with else {}
    verdict = verdict_on(store, run.id)
    rows = [
        ("session", run.id),
        ("title", run.title or ""),
        ("tags", ", ".join(tags_of(store, run.id))),
        ("labels", ", ".join(f"{key}={value}" for key, value in labels.items())),
        ("notes", "\n".join(notes)),
        ("started", f"{_local(run.run_started_at):%Y-%m-%d %H:%M:%S %Z}"),
        *_origin(store, run),
        ("model", run.model),
        ("seed", str(started_with.seed) if started_with and started_with.seed is not None else ""),
        ("calls are", _tool_format(store, run.id)),
        ("context", _context(store, run.id)),
        ("imported", _imported(run)),
        ("sandbox", "" if run.is_rebuilt else run.sandbox),
        ("outcome", outcome_words(run) + (f": {run.error}" if run.error else "")),
        ("steps", str(run.steps)),
        ("calls", run_end.calls_in_full(run.calls, run.failed_calls, interrupted)),
        ("tokens", run.tokens),
        ("cost", numbers.cost(run.cost)),
        ("time", clock(run.seconds)),
        ("snapshots", f"{len(snapshots)}, {room}" + (f" ({problem})" if problem else "")),
        ("results", _results(run)),
        ("answer", answer_or_why_none(run)),
        ("score", "" if verdict is None else score_words(verdict)),
        ("expected", "" if verdict is None else verdict.expected),
        ("task", run.task.strip()),
    ]
    for name, value in rows:
        if value:
            click.echo(f"{name:<10}{sanitize(value)}")
    for line in call_lines(calls):
        click.echo(line)


def _imported(run: RunSummary) -> str:
    """Return the file that a session was imported from, its format and what the format lacks."""
    if not run.imported:
        return ""
    from sandbox_tui.sessions.interchange.imports import format_found  # slow to import

    name = sanitize_line(run.imported_from or "")
    return " · ".join(filter(None, (f"from {name}" if name else "yes", format_found(run))))


def _results(run: RunSummary) -> str:
    """Return the folder of the result files; that of an imported session is somewhere else."""
    if run.results_dir and run.imported:
        return f"{run.results_dir} (where it was recorded; not imported)"
    return run.results_dir or ""


def _origin(store: Store, run: RunSummary) -> Sequence[tuple[str, str]]:
    """Return the parent of a fork and what was changed there; nothing for another session."""
    origin = read_origin(store, run)
    if origin is not None:
        return [("fork of", fork_place(origin)), *origin.changes]
    # a recording of another kind may not say where it was forked
    return [("fork of", f"{run.parent} at event {run.parent_seq}")] if run.parent else []


def _settings(store: Store, run_id: str) -> e.RunSettings | None:
    """Return the settings that the run was started with; None if an older version did not record
    them."""
    first = store.events_at(run_id, [1]).get(1)
    return first.settings if isinstance(first, e.RunStarted) else None


def _tool_format(store: Store, run_id: str) -> str:
    """Return how tool calls were exchanged; empty if they were native."""
    chosen = last_tool_format(store, run_id)
    return "" if chosen is None or chosen.mode == "native" else chosen.title


def _context(store: Store, run_id: str) -> str:
    """Return the model's context length and its source; empty if it is unknown."""
    event = events.last_of_kind(store, run_id, "ContextLengthFound")
    if not isinstance(event, e.ContextLengthFound):
        return ""
    return f"{numbers.context(event.context)} tokens ({event.context.source})"


def _local(at: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(at, tz=datetime.UTC).astimezone()
