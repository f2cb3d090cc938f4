from __future__ import annotations

import pytest
from textual.geometry import Region, Size

from sandbox_tui.tui.widgets.wall.tile_layout import beyond, grid_for, regions

WALL = Size(158, 41)
"""The space that a terminal of 160x45 leaves for tiles."""


@pytest.mark.parametrize(
    ("count", "size"),
    [
        *((count, WALL) for count in (1, 2, 3, 5, 8, 13, 24)),
        *((count, Size(98, 26)) for count in (1, 2, 3, 5, 8, 10)),
        *((count, Size(58, 16)) for count in (1, 2, 3)),
    ],
)
def test_tiles_with_borders_fill_the_space_without_overlapping(count: int, size: Size) -> None:
    assert grid_for(count, size).boxed
    places = regions(count, size)
    assert len(places) == count
    assert sum(place.area for place in places) == size.area
    assert not any(a.overlaps(b) for a in places for b in places if a is not b)


@pytest.mark.parametrize("count", [25, 64, 100, 256])
def test_a_large_terminal_shows_all_of_many_runs(count: int) -> None:
    places = regions(count, WALL)
    assert max(place.bottom for place in places) <= WALL.height
    assert max(place.right for place in places) <= WALL.width
    assert not any(a.overlaps(b) for a in places for b in places if a is not b)


def test_few_runs_have_tall_tiles_and_many_have_a_line() -> None:
    assert grid_for(2, WALL).height >= 20
    assert grid_for(8, WALL).height >= 10
    assert grid_for(256, WALL).height == 1


def test_tiles_that_do_not_fit_are_reached_by_scrolling() -> None:
    places = regions(256, Size(58, 16))
    assert places[-1].y > 16
    assert min(place.width for place in places) >= 38


def test_no_run_needs_no_place() -> None:
    assert regions(0, WALL) == []


def test_the_tile_below_is_the_nearest_of_the_next_row() -> None:
    places = [Region(0, 0, 50, 5), Region(50, 0, 50, 5), Region(0, 5, 100, 5)]
    assert beyond(1, 0, 1, places) == 2
    assert beyond(2, 0, 1, places) == 2
    assert beyond(0, 1, 0, places) == 1
    assert beyond(0, -1, 0, places) == 0
    assert beyond(2, 0, -1, places) in (0, 1)
