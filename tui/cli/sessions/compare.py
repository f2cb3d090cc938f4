"""`sandbox-tui compare`: compares two sessions as text or as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

import click

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.tools.call_summaries import short_name
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.aligned_calls import Call
from sandbox_tui.sessions.relations.compare import Comparison, compare, file_diff
from sandbox_tui.sessions.relations.human_acts import Act, ActPair
from sandbox_tui.sessions.relations.running_now import RunningNow
from sandbox_tui.tui.format.compared.facts import facts
from sandbox_tui.tui.format.compared.human_words import act_words, decision_words
from sandbox_tui.tui.format.comparison import (
    COLUMN,
    Divergence,
    call_mark,
    calls_sentence,
    cut,
    differing_lines,
    divergence,
    end_and_size,
    file_sizes,
    files_sentence,
    related_sentence,
    sign,
)
from sandbox_tui.tui.screens.compare.differing_parts import (
    Words,
    around_difference,
    differing_words,
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
    now = (_running_now(store, run) for run in (left, right))
    for fact in facts(found, *now):
        difference = f"  {fact.difference}" if fact.difference else ""
        line = f"{fact.name:<9}{cut(fact.left):<{COLUMN}}  {cut(fact.right)}"
        click.echo(f"{line}{difference}")
    click.echo()
    click.echo(calls_sentence(found))
    if (diverges := divergence(found)) is not None:
        _print_divergence(diverges)
        for at, pair in enumerate(found.pairs[diverges.at :], diverges.at):
            _print_acts(found.acts[at])
            left_words, right_words = differing_words(pair)
            left_call, right_call = _side(pair.left, left_words), _side(pair.right, right_words)
            click.echo(f"  {left_call:<{COLUMN}} {sign(pair)} {right_call}".rstrip())
        _print_acts(found.acts[-1])
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
    if found.pair is None:
        return
    left, right = (cut(end_and_size(call)) for call in (found.pair.left, found.pair.right))
    click.echo(f"  {left:<{COLUMN}} │ {right}".rstrip())
    if found.line is not None:
        left_line, right_line = (cut(line) for line in differing_lines(found.line))
        click.echo(f"  {left_line:<{COLUMN}} │ {right_line}".rstrip())


def _running_now(store: Store, run: RunSummary) -> RunningNow | None:
    if run.outcome != "running":
        return None
    now = RunningNow(store, run)
    now.read()
    return now


def _side(call: Call | None, words: Words | None) -> str:
    """Return a call with the part that differs, and what the user did with it."""
    if call is None or words is None:
        return ""
    decided = decision_words(call)
    tail = f"  {decided}" if decided else ""
    head = f"{call.number:>2} {call_mark(call)} {short_name(sanitize_line(call.tool))} "
    room = max(1, COLUMN - len(head) - len(tail))
    text = around_difference(words, room).text
    shown = text if len(text) <= room else f"{text[: room - 1]}…"
    return f"{head}{shown}{tail}"


def _print_acts(pairs: Sequence[ActPair]) -> None:
    for pair in pairs:
        mark = "=" if pair.same else "◂" if pair.right is None else "▸"
        left, right = _act(pair.left), _act(pair.right)
        click.echo(f"  {left:<{COLUMN}} {mark} {right}".rstrip())


def _act(act: Act | None) -> str:
    return "" if act is None else cut("   " + "  ".join(act_words(act)))


def _as_json(found: Comparison) -> dict[str, object]:
    return {
        "left": dataclasses.asdict(found.left),
        "right": dataclasses.asdict(found.right),
        "related": found.related,
        "diverged_at": found.diverged_at,
        "calls": [
            {
                "left": _call_as_json(pair.left),
                "right": _call_as_json(pair.right),
                "same": pair.same,
                "agrees": pair.is_equal,
            }
            for pair in found.pairs
        ],
        "files": [dataclasses.asdict(file) for file in found.files],
        "same_files": found.same_files,
    }


def _call_as_json(call: Call | None) -> dict[str, object] | None:
    if call is None:
        return None
    return {**dataclasses.asdict(call), "was_prevented": call.was_prevented}
