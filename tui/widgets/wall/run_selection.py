"""Which run of the wall is chosen before the user chooses one, and which waits next."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.tui.widgets.wall.run_groups import grouped
from sandbox_tui.tui.widgets.wall.run_tile import RunTile


def chosen_first(tiles: Sequence[RunTile], wanted: str = "") -> RunTile:
    """Return the tile to begin with: the run with the id `wanted`; else one that waits for the
    user; else the first that runs of those started last; else the first of those started last."""
    for tile in tiles:
        if wanted and tile.worker.run_id == wanted:
            return tile
    waiting = [tile for tile in tiles if tile.kind == "waiting"]
    if waiting:
        return waiting[0]
    by_number = {tile.number: tile for tile in tiles}
    groups = grouped([(tile.number, tile.worker) for tile in tiles])
    for group in reversed(groups):
        running = [number for number, _ in group if by_number[number].kind == "running"]
        if running:
            return by_number[running[0]]
    return by_number[groups[-1][0][0]]


def next_waiting(tiles: Sequence[RunTile], chosen: RunTile | None) -> RunTile | None:
    """Return the next run after the chosen one that waits for the user; None if no other does."""
    after = tiles.index(chosen) + 1 if chosen in tiles else 0
    rest = [*tiles[after:], *tiles[:after]]
    return next((tile for tile in rest if tile is not chosen and tile.kind == "waiting"), None)
