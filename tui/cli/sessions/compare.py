"""`sandbox-tui compare`: two sessions side by side, as text or as JSON."""

from __future__ import annotations

import dataclasses
import json

import click

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.compare import Call, Comparison, compare, file_diff
from sandbox_tui.tui.format.comparison import (
    COLUMN,
    call_line,
    cut,
    files_sentence,
    related_sentence,
    sign,
    totals,
    where_they_part,
)

SHOWN_FILES = 20


def print_comparison(
    store: Store, left: RunSummary, right: RunSummary, *, as_json: bool, diffs: bool
) -> None:
    """Print where they diverge, their totals, the calls from there on, the files that differ."""
    found = compare(store, left, right)
    if as_json:
        click.echo(json.dumps(_as_json(found)))
        return
    if related := related_sentence(found):
        click.echo(related)
    for name, mine, theirs in totals(found):
        click.echo(f"{name:<9}{mine:<{COLUMN}}  {theirs}")
    click.echo()
    click.echo(where_they_part(found))
    apart = len(found.pairs) if found.diverged_at is None else found.diverged_at
    for pair in found.pairs[apart:]:
        click.echo(f"  {_side(pair.left):<{COLUMN}} {sign(pair)} {_side(pair.right)}".rstrip())
    click.echo()
    click.echo(files_sentence(found))
    for file in found.files[:SHOWN_FILES]:
        click.echo(f"  {file.verdict:<11}{sanitize_line(file.path)}")
        if diffs and file.verdict == "differs":
            for line in file_diff(store, file):
                click.echo(f"      {sanitize_line(line)}")
    if len(found.files) > SHOWN_FILES:
        click.echo(f"  and {len(found.files) - SHOWN_FILES} more")


def _side(call: Call | None) -> str:
    return "" if call is None else cut(call_line(call))


def _as_json(found: Comparison) -> dict[str, object]:
    return {
        "left": dataclasses.asdict(found.left),
        "right": dataclasses.asdict(found.right),
        "related": found.related,
        "parted": found.diverged_at,
        "calls": [
            {
                "left": None if pair.left is None else dataclasses.asdict(pair.left),
                "right": None if pair.right is None else dataclasses.asdict(pair.right),
                "same": pair.same,
                "agrees": pair.agrees,
            }
            for pair in found.pairs
        ],
        "files": [dataclasses.asdict(file) for file in found.files],
        "same_files": found.same_files,
    }
