"""Which run of the wall is chosen before the user chooses one, and which waits next."""

from __future__ import annotations

import math
from collections.abc import Sequence

from textual.geometry import Region

from sandbox_tui.tui.widgets.wall.run_groups import grouped
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from sandbox_tui.tui.widgets.wall.tile_layout import beyond

SAME_TIME_SECONDS = 1.0
"""Runs that began to wait within this time come in their order."""


def held_at(tile: RunTile) -> float:
    """Return when a run began to wait for the user, in seconds since the epoch."""
    state = tile.state
    started, pending = state.started, state.pending
    begins = pending.held if pending is not None else state.awaited
    if started is None or begins is None:
        return math.inf
    return started.started_at - started.t + begins.t


def chosen_first(tiles: Sequence[RunTile], wanted: str = "") -> RunTile:
    """Return the tile to begin with: the run with the id `wanted`; else one that waits for the
    user, the one that has waited longest; else the first that runs of those started last; else the
    first of those started last."""
    for tile in tiles:
        if wanted and tile.worker.run_id == wanted:
            return tile
    waiting = [tile for tile in tiles if tile.kind == "waiting"]
    if waiting:
        earliest = min(map(held_at, waiting))
        return next(tile for tile in waiting if held_at(tile) < earliest + SAME_TIME_SECONDS)
    by_number = {tile.number: tile for tile in tiles}
    groups = grouped([(tile.number, tile.worker) for tile in tiles])
    for group in reversed(groups):
        running = [number for number, _ in group if by_number[number].kind == "running"]
        if running:
            return by_number[running[0]]
    return by_number[groups[-1][0][0]]


def comes_before(first: RunTile, chosen: RunTile, opened_at: float) -> bool:
    """Return whether a run takes the place of the chosen one, if nobody has chosen that: it waits
    for the user, and did when the wall was opened, or the chosen one does not wait."""
    if first.kind != "waiting":
        return False
    return held_at(first) < opened_at or chosen.kind != "waiting"  # a later one moves nothing


def next_waiting(tiles: Sequence[RunTile], chosen: RunTile | None) -> RunTile | None:
    """Return the next run after the chosen one that waits for the user; None if no other does."""
    after = tiles.index(chosen) + 1 if chosen in tiles else 0
    rest = [*tiles[after:], *tiles[:after]]
    return next((tile for tile in rest if tile is not chosen and tile.kind == "waiting"), None)


def neighbour(
    tiles: Sequence[RunTile],
    chosen: RunTile | None,
    across: int,
    down: int,
    places: Sequence[Region],
) -> RunTile | None:
    """Return the next tile in a direction; the first if none is chosen; None without tiles."""
    if not tiles or chosen not in tiles:
        return tiles[0] if tiles else None
    return tiles[beyond(tiles.index(chosen), across, down, places)]
