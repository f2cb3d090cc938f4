from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region, Size
from textual.widgets import Static

from sandbox_tui.tui.widgets.wall.tile_layout import (
    MIN_PANEL_HEIGHT,
    TileGrid,
    beyond,
    form_on,
    grid_for,
    lines_above,
    panel_lines,
    regions,
)

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


class Wall(App[None]):
    """Tiles above a panel."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def compose(self) -> ComposeResult:
        with TileGrid():
            yield from (Static() for _ in range(self._count))
        yield Static(id="panel")


@pytest.mark.parametrize("size", [(160, 45), (100, 30)])
@pytest.mark.parametrize("count", [3, 6, 10, 24])
async def test_no_tile_moves_to_another_column_if_something_else_needs_lines(
    count: int, size: tuple[int, int]
) -> None:
    app = Wall(count)
    async with app.run_test(size=size) as pilot:
        columns: list[int] = []
        for height in (1, 4, 8, 12):
            app.query_one("#panel").styles.height = height
            await pilot.pause()
            places = app.query_one(TileGrid).places
            columns.append(sum(place.y == places[0].y for place in places))
        assert len(set(columns)) == 1, columns


@pytest.mark.parametrize("screen", [Size(160, 45), Size(100, 30), Size(60, 20)])
@pytest.mark.parametrize("count", [2, 6, 16, 64])
def test_the_panel_has_its_room_from_the_start_and_takes_the_lines_that_are_left(
    count: int, screen: Size
) -> None:
    form = form_on(count, screen)
    space = Size(screen.width - 2, screen.height - 4)
    lines = panel_lines(count, space, form)
    if not lines:
        without = grid_for(count, space, form)
        assert without.height >= (8 if without.columns == 1 else 10), "room for a call"
        return
    above = Size(space.width, space.height - lines)
    grid = grid_for(count, above, form)
    places = regions(count, above, form)
    assert lines >= MIN_PANEL_HEIGHT
    if grid.rows <= above.height:
        assert max(place.bottom for place in places) == above.height, "no line stays empty"
    without = grid_for(count, space, form)
    assert (without.boxed, without.columns) == (grid.boxed, grid.columns), "no tile changes form"


def test_the_panel_leaves_its_lines_to_the_tiles_once_nothing_can_wait() -> None:
    narrow, space = Size(60, 20), Size(58, 16)
    form = form_on(16, narrow)
    assert panel_lines(16, space, form) == MIN_PANEL_HEIGHT
    assert panel_lines(16, space, form, have_ended=True) == 0


def test_no_run_needs_no_place() -> None:
    assert regions(0, WALL) == []


def test_the_tile_below_is_the_nearest_of_the_next_row() -> None:
    places = [Region(0, 0, 50, 5), Region(50, 0, 50, 5), Region(0, 5, 100, 5)]
    assert beyond(1, 0, 1, places) == 2
    assert beyond(2, 0, 1, places) == 2
    assert beyond(0, 1, 0, places) == 1
    assert beyond(0, -1, 0, places) == 0
    assert beyond(2, 0, -1, places) in (0, 1)


def test_the_answers_of_ended_runs_get_lines_as_long_as_each_tile_keeps_one() -> None:
    narrow = Size(60, 20)
    assert lines_above(6, narrow, have_ended=False) == 5
    assert lines_above(6, narrow, have_ended=True) == 10
    assert lines_above(16, narrow, have_ended=True) == 5
