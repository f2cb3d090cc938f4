"""`sandbox-tui compare`: compares two sessions on the screen, as text or as JSON."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence

import click

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.tools.call_summaries import short_name
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.aligned_calls import Call
from sandbox_tui.sessions.relations.compare import Comparison, compare, file_diff
from sandbox_tui.sessions.relations.human_acts import Act, ActPair
from sandbox_tui.sessions.relations.running_now import RunningNow
from sandbox_tui.tui.cli.open_store import session_named, store_to_read
from sandbox_tui.tui.cli.options import settings_to_look
from sandbox_tui.tui.cli.show_app import is_terminal, show
from sandbox_tui.tui.format.compared.comparison import (
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
    running_side,
    sign,
    whole_sentence,
)
from sandbox_tui.tui.format.compared.facts import fact_sign, facts, only_side
from sandbox_tui.tui.format.compared.human_words import act_words, decision_words
from sandbox_tui.tui.screens.compare.differing_parts import (
    Words,
    around_difference,
    differing_words,
)

SHOWN_FILES = 20
LABEL_COLUMNS = 12
MIN_COLUMN = 12


def compare_sessions(
    left: str, right: str | None, theme: str | None, options: Mapping[str, bool]
) -> int:
    """Compare two sessions, on the screen if there is one; return the exit code.

    Args:
        left, right: names of the sessions; without `right`, `left` is a fork, and its parent is
            the left one.
        theme: for this start only; None: as in the settings.
        options: whether to print text (`headless`), text with `diffs`, or JSON (`as_json`).
    """
    on_screen = is_terminal() and not any(options.values())
    settings = settings_to_look(theme) if on_screen else None
    with store_to_read() as store:
        one, other = _both(store, left, right)
        if settings is not None:
            from sandbox_tui.tui.lifecycle.first_screen import Comparing

            return show(settings, store, Comparing(one, other)).code
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        found = compare(store, one, other)
        if options["as_json"]:
            click.echo(json.dumps(_as_json(found)))
            return 0
        for line in comparison_lines(store, found, width, diffs=options["diffs"]):
            click.echo(line)
    return 0


def _both(store: Store, left: str, right: str | None) -> tuple[RunSummary, RunSummary]:
    """Return both sessions; one name alone is that of a fork.

    Raises:
        ConfigError: both are the same session, it is no fork, or its parent was deleted.
    """
    named = session_named(store, left)
    if right is not None:
        other = session_named(store, right)
        if named.id == other.id:
            raise ConfigError(f"{left} and {right} are the same session, {named.id}.")
        return named, other
    if named.parent is None:
        raise ConfigError(f"{named.id} is no fork: name the session to compare it with, too.")
    if not store.has_run(named.parent):
        raise ConfigError(
            f"{named.parent}, from which {named.id} was forked, was deleted: name another session "
            "to compare it with."
        )
    return store.run(named.parent), named


def comparison_lines(
    store: Store, found: Comparison, width: int | None = None, *, diffs: bool = False
) -> Iterator[str]:
    """Yield the outcomes, where they diverge, the calls from there on, and the files that differ.

    Args:
        store: the database.
        found: the comparison.
        width: columns of the terminal, which no line with two sides exceeds; None for a file.
        diffs: whether to include diffs of the files.
    """
    column = COLUMN if width is None else max(MIN_COLUMN, min(COLUMN, (width - 5) // 2))
    if related := related_sentence(found):
        yield from _wrapped(related, width)
    if side := running_side(found):
        yield from _wrapped(f"{side.capitalize()}: the figures are those so far.", width)
    if whole := whole_sentence(found):
        yield from _wrapped(whole, width)
    yield from _fact_lines(store, found, width)
    yield ""
    yield from _wrapped(calls_sentence(found), width)
    if (diverges := divergence(found)) is not None:
        yield from _divergence_lines(diverges, column)
        for at, pair in enumerate(found.pairs[diverges.at :], diverges.at):
            yield from _act_lines(found.acts[at], column)
            left_words, right_words = differing_words(pair)
            left_call = _side(pair.left, left_words, column)
            right_call = _side(pair.right, right_words, column)
            yield f"  {left_call:<{column}} {sign(pair)} {right_call}".rstrip()
        yield from _act_lines(found.acts[-1], column)
    yield ""
    yield from _wrapped(files_sentence(found), width)
    for file in found.files[:SHOWN_FILES]:
        yield f"  {file.verdict:<11}{sanitize_line(file.path)}  {file_sizes(file)}"
        if diffs and file.verdict == "differs":
            for line in file_diff(store, file):
                yield f"      {sanitize_line(line)}"
    if len(found.files) > SHOWN_FILES:
        yield f"  and {len(found.files) - SHOWN_FILES} more"


def _wrapped(words: str, width: int | None) -> Sequence[str]:
    return [words] if width is None else textwrap.wrap(words, max(1, width))


def _fact_lines(store: Store, found: Comparison, width: int | None) -> Iterator[str]:
    """Yield both values of each fact; the difference has its own line if there is no room beside
    them."""
    column = COLUMN
    if width is not None:
        column = max(MIN_COLUMN, min(COLUMN, (width - LABEL_COLUMNS - 3) // 2))
    now = (_running_now(store, run) for run in (found.left, found.right))
    for fact in facts(found, *now):
        left, right = cut(fact.left, column), cut(fact.right, column)
        if column < COLUMN and (words := only_side(fact)):
            assert width is not None
            yield f"{fact.name:<{LABEL_COLUMNS}}{cut(words, width - LABEL_COLUMNS)}"
            continue
        line = f"{fact.name:<{LABEL_COLUMNS}}{left:<{column}} {fact_sign(fact) or ' '} {right}"
        if fact.difference and width is not None and len(line) + 2 + len(fact.difference) > width:
            yield line.rstrip()
            yield f"{'':<{LABEL_COLUMNS}}{cut(fact.difference, width - LABEL_COLUMNS)}"
        else:
            yield f"{line}  {fact.difference}".rstrip()


def _divergence_lines(found: Divergence, column: int) -> Iterator[str]:
    """Yield how the call ended on both sides, and the first line that differs."""
    if found.pair is None:
        return
    left, right = (cut(end_and_size(call), column) for call in (found.pair.left, found.pair.right))
    yield f"  {left:<{column}} │ {right}".rstrip()
    if found.line is not None:
        left_line, right_line = (cut(line, column) for line in differing_lines(found.line))
        yield f"  {left_line:<{column}} │ {right_line}".rstrip()


def _running_now(store: Store, run: RunSummary) -> RunningNow | None:
    if run.outcome != "running":
        return None
    now = RunningNow(store, run)
    now.read()
    return now


def _side(call: Call | None, words: Words | None, column: int) -> str:
    """Return a call with the part that differs, and what the user did with it."""
    if call is None or words is None:
        return ""
    decided = decision_words(call)
    tail = f"  {decided}" if decided else ""
    head = f"{call.number:>2} {call_mark(call)} {short_name(sanitize_line(call.tool))} "
    room = max(1, column - len(head) - len(tail))
    shown = cut(around_difference(words, room).text, room)
    return cut(f"{head}{shown}{tail}", column)


def _act_lines(pairs: Sequence[ActPair], column: int) -> Iterator[str]:
    for pair in pairs:
        mark = "=" if pair.same else "◂" if pair.right is None else "▸"
        left, right = _act(pair.left, column), _act(pair.right, column)
        yield f"  {left:<{column}} {mark} {right}".rstrip()


def _act(act: Act | None, column: int) -> str:
    return "" if act is None else cut("   " + "  ".join(act_words(act)), column)


def _as_json(found: Comparison) -> dict[str, object]:
    return {
        "left": dataclasses.asdict(found.left),
        "right": dataclasses.asdict(found.right),
        "related": found.related,
        "own": [one and one._asdict() for one in found.own],
        "verdicts": [one and one._asdict() for one in found.verdicts],
        "settings": [pair._asdict() for pair in found.settings],
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
