"""The orders in which the rows of the list of sessions can be sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from sandbox_tui.sessions.relations.listing import EvalRow, Row, SamplesRow, SessionRow
from sandbox_tui.sessions.store.ids import time_of
from sandbox_tui.sessions.store.run_summary import RunSummary

Order = Literal["newest", "outcome", "model", "tokens", "time", "cost"]

ORDERS: tuple[Order, ...] = ("newest", "outcome", "model", "tokens", "time", "cost")

_SECOND = len("20261121-104238")
"""Characters of an id that say when it was made."""

_LAST_OUTCOMES = ("submitted", "imported")
"""Outcomes that come after those that may need the user."""


def next_order(order: Order) -> Order:
    """Return the order that follows."""
    return ORDERS[(ORDERS.index(order) + 1) % len(ORDERS)]


def recorded_outcome(run: RunSummary) -> str:
    """Return the outcome of a run as it was recorded."""
    return run.outcome


def in_order(
    units: Iterable[Sequence[Row]],
    order: Order,
    outcome_of: Callable[[RunSummary], str] = recorded_outcome,
) -> list[Sequence[Row]]:
    """Return groups of rows that stay together in an order; equal ones are newest first.

    The session of a group that would come first decides. Evaluations and training runs have only a
    model to sort by, and come after the sessions otherwise.

    Args:
        units: the groups.
        order: in which they are sorted.
        outcome_of: returns the outcome that is shown; those with the same one are adjacent.
    """
    newest = _launches_together(sorted(units, key=_newest, reverse=True))
    if order == "newest":
        return newest
    return sorted(newest, key=lambda unit: _rank(unit, order, outcome_of))


def _newest(unit: Sequence[Row]) -> float:
    return max(row.began_at for row in unit)


def _launches_together(newest: Sequence[Sequence[Row]]) -> list[Sequence[Row]]:
    """Move what was launched together to the newest of it, in the order of its launch: each run
    starts when its sandbox is ready, in any order."""
    launches: dict[str, list[Sequence[Row]]] = {}
    for unit in newest:
        launches.setdefault(_launch_of(unit), []).append(unit)
    for units in launches.values():
        if len(units) > 1:
            units.sort(key=_first_id)
    return [unit for units in launches.values() for unit in units]


def _launch_of(unit: Sequence[Row]) -> str:
    """Return the second in which runs were launched; something of its own for any other group. One
    with forks is as new as these."""
    runs = _runs(unit)
    alone = not runs or any(run.imported or run.parent is not None for run in runs)
    return unit[0].key if alone or time_of(runs[0].id) is None else runs[0].id[:_SECOND]


def _first_id(unit: Sequence[Row]) -> str:
    return _runs(unit)[0].id


def _runs(unit: Sequence[Row]) -> Sequence[RunSummary]:
    first = unit[0]
    if isinstance(first, SamplesRow):
        return (*first.runs, *first.forks)
    return [row.run for row in unit if isinstance(row, SessionRow)]


def _rank(
    unit: Sequence[Row], order: Order, outcome_of: Callable[[RunSummary], str]
) -> tuple[bool, float, str]:
    """Return the sort key of a group, smallest first; what has no such value comes last."""
    runs = _runs(unit)
    if order == "model":
        return False, 0.0, min(map(_model_of, unit)).lower()
    if order == "outcome":
        return min((_outcome_rank(run, outcome_of(run)) for run in runs), default=(True, 0.0, ""))
    values = [value for run in runs if (value := _value(run, order)) is not None]
    return not values, -max(values, default=0.0), ""


def _model_of(row: Row) -> str:
    match row:
        case SessionRow(run=run):
            return run.model
        case SamplesRow(runs=runs):
            return runs[0].model
        case EvalRow(summary=found):
            return found.info.model
        case _:
            return row.summary.model


def _outcome_rank(run: RunSummary, shown: str) -> tuple[bool, float, str]:
    last = run.outcome in _LAST_OUTCOMES
    place = 1.0 + _LAST_OUTCOMES.index(run.outcome) if last else float(run.outcome != "running")
    return False, place + last, shown


def _value(run: RunSummary, order: Order) -> float | None:
    match order:
        case "tokens":
            return run.input_tokens + run.output_tokens
        case "time":
            return run.seconds
        case _:
            return run.cost
