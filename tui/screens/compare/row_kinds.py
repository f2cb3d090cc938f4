"""The kinds of rows of a comparison, and how to tell them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sandbox_tui.sessions.relations.aligned_calls import Pair
from sandbox_tui.sessions.relations.compare import Comparison, FilePair
from sandbox_tui.sessions.relations.human_acts import ActPair
from sandbox_tui.tui.format.compared.comparison import (
    Divergence,
    calls_sentence,
    divergence,
    files_sentence,
    sign,
    whole_sentence,
)
from sandbox_tui.tui.format.compared.facts import Fact
from sandbox_tui.tui.widgets.calls.call_text import readable_arguments


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of text above the rows that follow."""

    text: str


@dataclass(frozen=True, slots=True)
class Hidden:
    """Stands for rows that are equal on both sides.

    Attributes:
        calls: how many of them are calls.
        first: the first of them.
    """

    calls: int
    first: Pair | ActPair


Row: TypeAlias = Fact | Heading | Divergence | Pair | ActPair | FilePair | Hidden


def rows_of(found: Comparison, figures: Sequence[Fact], *, hide_equal: bool) -> list[Row]:
    """Return the rows of a comparison, without those that are equal if `hide_equal`."""
    diverges = divergence(found)
    rows: list[Row] = [_sides(found), *figures, Heading("")]
    if diverges is None:
        rows.append(Heading(calls_sentence(found)))
    between = _calls_and_acts(found, diverges)
    rows += _without_equal(between) if hide_equal else between
    rows += [Heading(""), Heading(files_sentence(found)), *found.files]
    return rows


def _sides(found: Comparison) -> Fact:
    """Return the heading of the figures: a running side's are those so far, and a fork's include
    what it took over."""
    whole = ", whole session" if whole_sentence(found) else ""
    left, right = (
        f"{side}{' (running)' if run.outcome == 'running' else ''}{whole}"
        for side, run in (("left", found.left), ("right", found.right))
    )
    return Fact("", left, right)


def _calls_and_acts(found: Comparison, diverges: Divergence | None) -> Iterator[Row]:
    for at, pair in enumerate(found.pairs):
        yield from _with_mark(found.acts[at], diverges)
        if diverges is not None and diverges.act is None and at == diverges.at:
            yield diverges
        yield pair
    yield from _with_mark(found.acts[-1], diverges)


def _with_mark(acts: Sequence[ActPair], diverges: Divergence | None) -> Iterator[Row]:
    """Yield the acts at one place, with the mark before the one by which the sessions diverge."""
    for act in acts:
        if diverges is not None and diverges.act is act:
            yield diverges
        yield act


def _without_equal(rows: Iterator[Row]) -> Iterator[Row]:
    equal: list[Pair | ActPair] = []
    for row in rows:
        if isinstance(row, (Pair, ActPair)) and _is_equal(row):
            equal.append(row)
            continue
        yield from _hidden(equal)
        equal.clear()
        yield row
    yield from _hidden(equal)


def _is_equal(row: Pair | ActPair) -> bool:
    """Return whether both sides have the same: a note of one side is no difference, but does not
    stand on the other."""
    if isinstance(row, Pair):
        return not differs(row) and not row.is_pending
    return row.same


def _hidden(equal: list[Pair | ActPair]) -> Iterator[Row]:
    if equal:
        yield Hidden(sum(isinstance(row, Pair) for row in equal), equal[0])


def differs(row: Row | None) -> bool:
    """Return whether a row is a call, an act of the user or a file that differs."""
    match row:
        case Pair():
            return sign(row) not in ("=", "…")
        case ActPair():
            return not row.same and not row.is_note
        case FilePair():
            return True
        case _:
            return False


def opens(row: Row | None) -> bool:
    """Return whether a row has more to show than its line."""
    match row:
        case Fact(name=name):
            return name in ("title", "answer", "expected", "score")
        case None | Heading() | Divergence():
            return False
        case _:
            return True


def key_of(row: Row | None) -> object:
    """Return what a row keeps while its session goes on; rows of equal kinds differ in it."""
    match row:
        case Fact(name=name):
            return "fact", name
        case Pair():
            return "call", row.left and row.left.number, row.right and row.right.number
        case ActPair():
            return "act", row.left and row.left.seq, row.right and row.right.seq
        case FilePair():
            return "file", row.path
        case Divergence():
            return "divergence"
        case Hidden():
            return "hidden", key_of(row.first)
        case _:
            return None


def text_of(row: Row) -> str:
    """Return everything that a search finds in a row."""
    match row:
        case Fact(left=left, right=right):
            return f"{left}\n{right}"
        case Pair():
            calls = [call for call in (row.left, row.right) if call is not None]
            return "\n".join(
                f"{call.tool}\n{readable_arguments(call.tool, call.arguments)}\n{call.output_text}"
                for call in calls
            )
        case ActPair():
            acts = [act for act in (row.left, row.right) if act is not None]
            return "\n".join(f"{act.text}\n{act.detail}" for act in acts)
        case FilePair():
            return row.path
        case _:
            return ""
