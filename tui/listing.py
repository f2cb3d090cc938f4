"""Sessions as text, for `sandbox-tui sessions`."""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections.abc import Sequence

import click

from ..core.sandboxes.kept_snapshots import kept
from ..core.text import clean, clean_line
from ..sessions import RunSummary
from . import figures
from .outcome import outcome_words


def print_sessions(runs: Sequence[RunSummary], *, as_json: bool) -> None:
    """A line a session: id, outcome, steps, tokens, time, model, task."""
    if as_json:
        for run in runs:
            click.echo(json.dumps(dataclasses.asdict(run)))
        return
    if not runs:
        click.echo("There is no session yet; `sandbox-tui demo` makes one.")
        return
    for run in runs:
        tokens = figures.count(run.input_tokens + run.output_tokens)
        task = clean_line(run.task.strip().split("\n", 1)[0])[:60]
        model = clean_line(run.model)[:20]
        outcome = outcome_words(run)
        click.echo(
            f"{run.id}  {outcome:<18}  {run.steps:>3} steps  {tokens:>6} tok  "
            f"{figures.clock(run.seconds):>7}  {model:<20}  {task}"
        )


def print_session(run: RunSummary) -> None:
    """All that is known of a session."""
    standing, problem = kept(run.id)
    problem = problem if run.sandbox == "docker" else ""
    room = figures.size(sum(one.size for one in standing))
    forked = f"{run.parent} at event {run.parent_seq}" if run.parent else "none"
    started = datetime.datetime.fromtimestamp(run.started_at, tz=datetime.UTC).astimezone()
    rows = [
        ("session", run.id),
        ("started", f"{started:%Y-%m-%d %H:%M:%S %Z}"),
        ("model", run.model),
        ("sandbox", run.sandbox),
        ("outcome", outcome_words(run) + (f": {run.error}" if run.error else "")),
        ("steps", str(run.steps)),
        ("calls", f"{run.calls}, {run.failed_calls} failed"),
        ("tokens", f"{run.input_tokens} in, {run.output_tokens} out"),
        ("cost", figures.cost(run.cost) or "unknown"),
        ("time", figures.clock(run.seconds)),
        ("snapshots", f"{len(standing)}, {room}" + (f" ({problem})" if problem else "")),
        ("forked of", forked),
        ("results", run.output or "none"),
        ("answer", run.answer.strip() if run.answer else "none"),
        ("task", run.task.strip()),
    ]
    for name, value in rows:
        click.echo(f"{name:<10}{clean(value)}")
