"""The orders in which the wall sorts its runs, and the states to which it can be limited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.format.status import is_retrying
from sandbox_tui.tui.widgets.wall.run_facts import Kind, stopped_word_of
from sandbox_tui.tui.widgets.wall.run_tile import RunTile

Order = Literal["start", "state", "silence", "tokens", "cost"]
ORDERS: tuple[Order, ...] = ("start", "state", "silence", "tokens", "cost")

Filter = Literal[Kind, "stopped", "retrying", "silent"]

FILTERS: dict[Filter | None, str] = {
    None: "",
    "waiting": "waiting",
    "running": "running",
    "stopped": "paused",
    "retrying": "retrying",
    "silent": "silent",
    "failed": "not submitted",
    "submitted": "submitted",
}
"""The words for each filter, in the order in which a key cycles through them; None: all runs."""

URGENCY: tuple[Kind, ...] = ("waiting", "failed", "running", "submitted")


def next_filter(kind: Filter | None) -> Filter | None:
    """Return the filter that follows."""
    kinds = list(FILTERS)
    return kinds[(kinds.index(kind) + 1) % len(kinds)]


def next_order(order: Order, tiles: Sequence[RunTile]) -> Order:
    """Return the order that follows; that by cost needs a run whose cost is known."""
    following = ORDERS[(ORDERS.index(order) + 1) % len(ORDERS)]
    is_unknown = following == "cost" and all(tile.state.totals.cost is None for tile in tiles)
    return next_order(following, tiles) if is_unknown else following


def passes(tile: RunTile, kind: Filter | None) -> bool:
    """Return whether a filter shows a tile."""
    if kind == "stopped":
        return bool(stopped_word_of(tile.worker))
    if kind == "retrying":
        return tile.kind == "running" and is_retrying(tile.state)
    if kind == "running" and _has_another_word(tile):
        return False
    if kind == "silent":
        return tile.silent > 0
    return kind in (None, tile.kind)


def _has_another_word(tile: RunTile) -> bool:
    """Return whether the header counts a run that goes on otherwise than as running."""
    return bool(stopped_word_of(tile.worker)) or is_retrying(tile.state) or tile.silent > 0


def chosen_by(kind: Filter | None, wanted: str, shown: Sequence[RunTile]) -> str:
    """Return the words for a filter and for what is searched.

    Args:
        kind: the filter.
        wanted: what is searched.
        shown: the tiles that are left; those that the user has stopped say how.
    """
    words = f"“{sanitize_line(wanted)}”" if wanted else ""
    state = FILTERS[kind]
    if kind == "stopped" and (stopped := {stopped_word_of(tile.worker) for tile in shown}):
        state = " or ".join(sorted(filter(None, stopped), reverse=True)) or state
    return ", ".join(part for part in (state, words) if part)


def rank(tile: RunTile, order: Order) -> tuple[float, int]:
    """Return the sort key of a tile; equal ones are in the order in which their runs started."""
    totals, first = tile.state.totals, 0.0
    match order:
        case "start":
            pass
        case "state":
            first = URGENCY.index(tile.kind) + _place_in_kind(tile)
        case "silence":
            first = -tile.silent
        case "tokens":
            first = -(totals.usage.input_tokens + totals.usage.output_tokens)
        case "cost":
            first = -(totals.cost or 0.0)
    return first, tile.number


def _place_in_kind(tile: RunTile) -> float:
    """Return the place of a run within its kind, below 1, so that equal states are together: runs
    that may be stuck come first, then those that the user has stopped; of those that wait, last."""
    if tile.silent:
        return 0.0
    if is_retrying(tile.state):
        return 0.1
    stopped = stopped_word_of(tile.worker)
    if tile.kind != "running":
        return 0.5 if stopped else 0.4
    return {"paused": 0.2, "frozen": 0.3, "pausing": 0.4}.get(stopped, 0.5)
