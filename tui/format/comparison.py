"""`sandbox-tui compare`: two sessions side by side, as text or as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

import click

from sandbox_tui.core.base.sanitize import clean_line
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.compare import Call, Comparison, Pair, compare, file_diff
from sandbox_tui.tui.format import numbers as figures
from sandbox_tui.tui.format.titles import task_title

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
        click.echo(f"  {file.verdict:<11}{clean_line(file.path)}")
        if diffs and file.verdict == "differs":
            for line in file_diff(store, file):
                click.echo(f"      {clean_line(line)}")
    if len(found.files) > SHOWN_FILES:
        click.echo(f"  and {len(found.files) - SHOWN_FILES} more")


def totals(found: Comparison) -> list[tuple[str, str, str]]:
    """Rows of name, left and right: what each is, came to and took."""
    rows = [
        _facts(found.left, [pair.left for pair in found.pairs if pair.left]),
        _facts(found.right, [pair.right for pair in found.pairs if pair.right]),
    ]
    return [(name, rows[0][name], rows[1][name]) for name in rows[0]]


def where_they_part(found: Comparison) -> str:
    """The first point at which they differ, as a sentence."""
    if not found.pairs:
        return "Neither has called a tool."
    if found.diverged_at is None:
        return _never_part(found.pairs)
    pair = found.pairs[found.diverged_at]
    call = pair.left or pair.right
    place = f"call {found.diverged_at + 1}" + ("" if call is None else f" (step {call.step})")
    many = {0: "", 1: "The first call is the same; "}.get(
        found.diverged_at, f"The first {found.diverged_at} calls are the same; "
    )
    they = f"{many}they" if many else "They"
    if not pair.same or pair.left is None or pair.right is None:
        return f"{they} part at {place}."
    ends = f"left {_end_of(pair.left)}, right {_end_of(pair.right)}"
    return f"{they} part at {place}, which ends differently: {ends}."


def _never_part(pairs: Sequence[Pair]) -> str:
    calls = "the one call is" if len(pairs) == 1 else f"all {len(pairs)} calls are"
    others = sum(not pair.agrees for pair in pairs)
    rest = f"the output of {others} differs" if others else "so are the results"
    return f"They never part: {calls} the same; {rest}."


def _end_of(call: Call) -> str:
    if call.was_prevented:
        return "not run"
    if call.ok is None:
        return "no result"
    if call.ok:
        return "ok"
    return "failed" if call.exit_code is None else f"exit {call.exit_code}"


def files_sentence(found: Comparison) -> str:
    """How many files are the same at the end, and how many are not."""
    same, others = found.same_files, len(found.files)
    if not same and not others:
        return "Neither has left files."
    if not others:
        return "The one file is the same." if same == 1 else f"All {same} files are the same."
    are = "is" if others == 1 else "are"
    if not same:
        return f"No file is the same; {others} {are} not:"
    is_same = "file is the same" if same == 1 else "files are the same"
    return f"{same} {is_same}, {others} {are} not:"


def related_sentence(found: Comparison) -> str:
    """How they are related, as a sentence; empty when they are not."""
    left, right = found.left, found.right
    if right.parent == left.id:
        return "The right one is a fork of the left one."
    if left.parent == right.id:
        return "The left one is a fork of the right one."
    if left.parent is not None and left.parent == right.parent:
        return f"Both are forks of {clean_line(left.parent)}."
    return ""


def sign(pair: Pair) -> str:
    """Between two calls: the same with the same result, the same, other ones."""
    if pair.same:
        return "=" if pair.agrees else "≈"
    return "|" if pair.left and pair.right else "<" if pair.left else ">"


def call_line(call: Call) -> str:
    """A call in a line."""
    mark = {True: "✓", False: "✗", None: "·"}[call.ok]
    what = clean_line(summarize_call(call.tool, call.arguments))
    return f"{call.number} {mark} {short_name(clean_line(call.tool))} {what}"


def _side(call: Call | None) -> str:
    return "" if call is None else _cut(call_line(call))


def _facts(run: RunSummary, calls: Sequence[Call]) -> dict[str, str]:
    name = task_title(run)
    return {
        "name": _cut(name),
        "session": run.id,
        "model": clean_line(run.model),
        "sandbox": clean_line(run.sandbox) or "none",
        "outcome": run.outcome.replace("_", " "),
        "steps": str(run.steps),
        "calls": _calls(calls),
        "tokens": f"{figures.count(run.input_tokens)} in, {figures.count(run.output_tokens)} out",
        "cost": figures.cost(run.cost) or "unknown",
        "time": figures.clock(run.seconds),
        "answer": _cut(clean_line((run.answer or "none").strip())),
    }


def _calls(calls: Sequence[Call]) -> str:
    kept = sum(call.was_prevented for call in calls)
    without = sum(call.ok is None for call in calls)
    parts = [str(len(calls)), f"{sum(call.failed for call in calls)} failed"]
    parts += [f"{kept} not run"] if kept else []
    parts += [f"{without} without a result"] if without else []
    return ", ".join(parts)


def _cut(words: str) -> str:
    return words if len(words) <= COLUMN else f"{words[: COLUMN - 1]}…"


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
