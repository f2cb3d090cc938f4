"""`sandbox-tui compare`: two sessions side by side, as text or as JSON."""

from __future__ import annotations

import dataclasses
import json

import click

from ..core.headline import headline, nickname
from ..core.text import clean_line
from ..sessions import RunSummary, Store
from ..sessions.compare import Call, Comparison, Pair, compare, file_diff
from . import figures

SHOWN_FILES = 20
COLUMN = 40


def print_comparison(
    store: Store, left: RunSummary, right: RunSummary, *, as_json: bool, diffs: bool
) -> None:
    """Where they part, what each took, the calls from there on, the files that differ."""
    found = compare(store, left, right)
    if as_json:
        click.echo(json.dumps(_as_json(found)))
        return
    if found.related:
        click.echo(clean_line(found.related))
    for name, mine, theirs in totals(found):
        click.echo(f"{name:<9}{mine:<{COLUMN}}  {theirs}")
    click.echo()
    click.echo(where_they_part(found))
    apart = len(found.pairs) if found.parted is None else found.parted
    for pair in found.pairs[apart:]:
        click.echo(f"  {_side(pair.left):<{COLUMN}} {sign(pair)} {_side(pair.right)}".rstrip())
    click.echo()
    click.echo(files_sentence(found))
    for file in found.files[:SHOWN_FILES]:
        click.echo(f"  {file.verdict:<11}{clean_line(file.path)}")
        if diffs and file.verdict == "differs":
            for line in file_diff(store, file):
                click.echo(f"      {clean_line(line)}")
    if len(found.files) > SHOWN_FILES:
        click.echo(f"  and {len(found.files) - SHOWN_FILES} more")


def totals(found: Comparison) -> list[tuple[str, str, str]]:
    """Rows of name, left and right: what each is, came to and took."""
    rows = [_facts(found.left), _facts(found.right)]
    return [(name, rows[0][name], rows[1][name]) for name in rows[0]]


def where_they_part(found: Comparison) -> str:
    """The first point at which they differ, as a sentence."""
    if not found.pairs:
        return "Neither has called a tool."
    if found.parted is None:
        return f"They never part: all {len(found.pairs)} calls are the same."
    if found.parted == 0:
        return "They part at the first call."
    one = found.pairs[found.parted]
    call = one.left or one.right
    step = "" if call is None else f" (step {call.step})"
    many = "one call is" if found.parted == 1 else f"{found.parted} calls are"
    return f"The first {many} the same; they part at call {found.parted + 1}{step}."


def files_sentence(found: Comparison) -> str:
    """How many files are the same at the end, and how many are not."""
    if not found.files:
        return f"All {found.same_files} files are the same."
    return f"{found.same_files} files are the same, {len(found.files)} are not:"


def sign(pair: Pair) -> str:
    """Between two calls: the same with the same result, the same, other ones."""
    if pair.same:
        return "=" if pair.agrees else "≈"
    return "|" if pair.left and pair.right else "<" if pair.left else ">"


def call_line(call: Call) -> str:
    """A call in a line."""
    mark = {True: "✓", False: "✗", None: "·"}[call.ok]
    what = clean_line(headline(call.tool, call.arguments))
    return f"{call.number} {mark} {nickname(clean_line(call.tool))} {what}"


def _side(call: Call | None) -> str:
    words = "" if call is None else call_line(call)
    return words if len(words) <= COLUMN else f"{words[: COLUMN - 1]}…"


def _facts(run: RunSummary) -> dict[str, str]:
    answer = clean_line((run.answer or "none").strip())
    return {
        "session": run.id,
        "model": clean_line(run.model),
        "sandbox": clean_line(run.sandbox) or "none",
        "outcome": run.outcome.replace("_", " "),
        "steps": str(run.steps),
        "calls": f"{run.calls}, {run.failed_calls} failed",
        "tokens": f"{figures.count(run.input_tokens)} in, {figures.count(run.output_tokens)} out",
        "cost": figures.cost(run.cost) or "unknown",
        "time": figures.clock(run.seconds),
        "answer": answer if len(answer) <= COLUMN else f"{answer[: COLUMN - 1]}…",
    }


def _as_json(found: Comparison) -> dict[str, object]:
    return {
        "left": dataclasses.asdict(found.left),
        "right": dataclasses.asdict(found.right),
        "related": found.related,
        "parted": found.parted,
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
