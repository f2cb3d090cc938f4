"""`sandbox-tui compare`: compares two sessions as text or as JSON."""

from __future__ import annotations

import dataclasses
import json

import click

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.compare import Call, Comparison, compare, file_diff
from sandbox_tui.tui.format.comparison import (
    COLUMN,
    Divergence,
    call_line,
    calls_sentence,
    cut,
    differing_lines,
    divergence,
    end_and_size,
    facts,
    file_sizes,
    files_sentence,
    related_sentence,
    sign,
)

SHOWN_FILES = 20


def print_comparison(
    store: Store, left: RunSummary, right: RunSummary, *, as_json: bool, diffs: bool
) -> None:
    """Print the outcomes, where they diverge, the calls from there on, and the files that differ.

    Args:
        store: the database.
        left, right: the sessions.
        as_json: print everything as one JSON value instead.
        diffs: whether to print diffs of the files.
    """
    found = compare(store, left, right)
    if as_json:
        click.echo(json.dumps(_as_json(found)))
        return
    if related := related_sentence(found):
        click.echo(related)
    for name, left_value, right_value in facts(found):
        click.echo(f"{name:<9}{cut(left_value):<{COLUMN}}  {cut(right_value)}")
    click.echo()
    click.echo(calls_sentence(found))
    if (diverges := divergence(found)) is not None:
        _print_divergence(diverges)
        for pair in found.pairs[diverges.at :]:
            click.echo(f"  {_side(pair.left):<{COLUMN}} {sign(pair)} {_side(pair.right)}".rstrip())
    click.echo()
    click.echo(files_sentence(found))
    for file in found.files[:SHOWN_FILES]:
        click.echo(f"  {file.verdict:<11}{sanitize_line(file.path)}  {file_sizes(file)}")
        if diffs and file.verdict == "differs":
            for line in file_diff(store, file):
                click.echo(f"      {sanitize_line(line)}")
    if len(found.files) > SHOWN_FILES:
        click.echo(f"  and {len(found.files) - SHOWN_FILES} more")


def _print_divergence(found: Divergence) -> None:
    """Print how the call ended on both sides, and the first line that differs."""
    left, right = (cut(end_and_size(call)) for call in (found.pair.left, found.pair.right))
    click.echo(f"  {left:<{COLUMN}} │ {right}".rstrip())
    if found.line is not None:
        left_line, right_line = (cut(line) for line in differing_lines(found.line))
        click.echo(f"  {left_line:<{COLUMN}} │ {right_line}".rstrip())


def _side(call: Call | None) -> str:
    return "" if call is None else cut(call_line(call))


def _as_json(found: Comparison) -> dict[str, object]:
    return {
        "left": dataclasses.asdict(found.left),
        "right": dataclasses.asdict(found.right),
        "related": found.related,
        "diverged_at": found.diverged_at,
        "calls": [
            {
                "left": None if pair.left is None else dataclasses.asdict(pair.left),
                "right": None if pair.right is None else dataclasses.asdict(pair.right),
                "same": pair.same,
                "agrees": pair.is_equal,
            }
            for pair in found.pairs
        ],
        "files": [dataclasses.asdict(file) for file in found.files],
        "same_files": found.same_files,
    }
