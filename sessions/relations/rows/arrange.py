"""Arranges sessions, evaluations and trainings as the rows of the list of sessions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from sandbox_tui.sessions.relations.fork_tree import Lineage
from sandbox_tui.sessions.relations.listing import (
    EvalRow,
    Row,
    SamplesRow,
    SessionRow,
    TrainingRow,
    runs_of,
)
from sandbox_tui.sessions.relations.rows.order import Order, in_order, recorded_outcome
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.sessions.store.tables.trainings import TrainingSummary

_Unit: TypeAlias = Sequence[Row]


def rows_of(
    family: Sequence[tuple[RunSummary, Lineage]],
    evaluations: Sequence[EvalSummary],
    trainings: Sequence[TrainingSummary] = (),
    *,
    waiting: Collection[str] = (),
    opened: Collection[str] = (),
    order: Order = "newest",
    outcome_of: Callable[[RunSummary], str] = recorded_outcome,
) -> list[Row]:
    """Return the rows of the list.

    Args:
        family: sessions, newest first, forks after their parents.
        evaluations: newest first.
        trainings: newest first.
        waiting: sessions that wait for the user; they come first in every order.
        opened: keys of the unfolded rows of samples.
        order: in which they are sorted; sessions stay with their forks.
        outcome_of: returns the outcome that a row shows, to sort by it.
    """
    units = _folded(_trees(family), opened, waiting)
    units += [(EvalRow(summary=one),) for one in evaluations]
    units += [(TrainingRow(summary=one),) for one in trainings]
    ordered = in_order(units, order, outcome_of)
    ordered.sort(key=lambda unit: not _waits(unit, waiting))
    return [row for unit in ordered for row in unit]


def _trees(family: Sequence[tuple[RunSummary, Lineage]]) -> list[list[SessionRow]]:
    """Return the sessions, each with its forks."""
    trees: list[list[SessionRow]] = []
    for run, lineage in family:
        row = SessionRow(run=run, lineage=lineage)
        if lineage.depth and trees:
            trees[-1].append(row)
        else:
            trees.append([row])
    return [_with_branches(tree) for tree in trees]


def _with_branches(tree: Sequence[SessionRow]) -> list[SessionRow]:
    """Return the rows of a tree with `closes`, found from the last row up."""
    found: list[SessionRow] = []
    continued: set[int] = set()
    for row in reversed(tree):
        depth = row.lineage.depth
        closes = tuple(level not in continued for level in range(1, depth + 1))
        found.append(replace(row, closes=closes))
        continued = {level for level in continued if level < depth} | {depth}
    return found[::-1]


def _folded(
    trees: Iterable[list[SessionRow]], opened: Collection[str], waiting: Collection[str]
) -> list[_Unit]:
    """Fold the samples of each task into one unit, each sample with its forks."""
    units: list[_Unit] = []
    samples: dict[str, list[list[SessionRow]]] = {}
    for tree in trees:
        run = tree[0].run
        if run.samples is not None and run.parent is None:
            samples.setdefault(run.samples, []).append(tree)
        else:
            units.append(tree)
    return [*units, *(_samples(group, opened, waiting) for group in samples.values())]


def _samples(
    trees: Sequence[list[SessionRow]], opened: Collection[str], waiting: Collection[str]
) -> _Unit:
    if len(trees) == 1:
        return trees[0]
    ordered = sorted(trees, key=_place_of_sample)
    members = [row.run for tree in ordered for row in tree]
    row = SamplesRow(
        runs=tuple(tree[0].run for tree in ordered),
        is_open=False,
        waiting=frozenset(run.id for run in members if run.id in waiting),
        forks=tuple(row.run for tree in ordered for row in tree[1:]),
    )
    if row.key not in opened:
        return [row]
    below = [
        below
        for place, tree in enumerate(ordered, 1)
        for below in _below_group(tree, place, is_last=place == len(ordered))
    ]
    return [replace(row, is_open=True), *below]


def _place_of_sample(tree: Sequence[SessionRow]) -> tuple[int, float, str]:
    run = tree[0].run
    return run.sample or 0, run.run_started_at, run.id


def _below_group(tree: Sequence[SessionRow], place: int, *, is_last: bool) -> list[SessionRow]:
    """Return the rows of a sample and its forks, one level below the row of all samples."""
    sample, *forks = tree
    number = sample.run.sample or place
    return [
        replace(sample, sample=number, closes=(is_last,)),
        *(replace(fork, fork_of=number, closes=(is_last, *fork.closes)) for fork in forks),
    ]


def _waits(unit: _Unit, waiting: Collection[str]) -> bool:
    return any(run.id in waiting for row in unit for run in runs_of(row))
