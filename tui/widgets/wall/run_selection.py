"""Which run of the wall is chosen before the user chooses one, and which waits next."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Region

from sandbox_tui.tui.widgets.wall.run_facts import is_decided_here
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from sandbox_tui.tui.widgets.wall.tile_layout import beyond


def chosen_first(tiles: Sequence[RunTile], wanted: str = "") -> RunTile:
    """Return the tile to begin with: the run with the id `wanted`, else the first."""
    return next((tile for tile in tiles if wanted and tile.worker.run_id == wanted), tiles[0])


def next_waiting(tiles: Sequence[RunTile], chosen: RunTile | None) -> RunTile | None:
    """Return the next run after the chosen one that waits for the user, first of those that can be
    decided about here; None if no other does."""
    after = tiles.index(chosen) + 1 if chosen in tiles else 0
    rest = [*tiles[after:], *tiles[:after]]
    waiting = [tile for tile in rest if tile is not chosen and tile.kind == "waiting"]
    here = [tile for tile in waiting if is_decided_here(tile.worker)]
    return next(iter(here or waiting), None)


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
