"""Layout of the tiles of a wall: as large as space allows, down to one line each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, NamedTuple

from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import Layout, WidgetPlacement
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.tui.keys.textual_bindings import binding

MIN_BOX_WIDTH, MIN_BOX_HEIGHT = 40, 5
"""Size in cells of the smallest tile with a border."""

GOOD_BOX_WIDTH, GOOD_BOX_HEIGHT = 80, 24
"""Size in cells beyond which a tile gains little."""

TILE_EDGES = 4
"""Cells of a tile's width that border and padding take, and at most as many of its height: the
border, and the lines above a call."""

MIN_STRIP_WIDTH = 22
"""Width of the narrowest tile without a border: number, state, a few letters of activity."""

GOOD_STRIP_WIDTH, GOOD_STRIP_HEIGHT = 80, 4

SIDES, BARS = 2, 4
"""Columns and lines of the screen that the tiles never get: padding, header, keys."""

MIN_PANEL_HEIGHT, GOOD_PANEL_HEIGHT = 4, 5
"""Lines of the panel below small tiles: the least, and those that tiles lower than a line each
leave it."""

PANEL_SHARE = 5
"""The panel takes one in this many lines, and those that the tiles would leave empty."""

GOOD_ROOM = 6
"""Lines of a call in a tile from which on a panel would not show much more."""

SCROLLED_WIDTH = 38
"""Minimum width of a tile if there are too many to be visible at once."""


class Grid(NamedTuple):
    """Number and form of the tiles.

    Attributes:
        rows: number of rows.
        columns: tiles in a full row.
        height: lines per tile.
        boxed: whether tiles have a border.
    """

    rows: int
    columns: int
    height: int
    boxed: bool


class Form(NamedTuple):
    """What stays as it is while the header grows and calls begin or cease to wait.

    Attributes:
        columns: tiles in a full row.
        boxed: whether tiles may have a border.
        panel: lines that the panel below the tiles takes at least; 0 without one.
    """

    columns: int
    boxed: bool
    panel: int


def form_on(count: int, screen: Size, *, groups: int = 0) -> Form:
    """Return the form in which `count` tiles show the most on a screen; tiles too small for a call
    leave a panel room.

    Args:
        count: number of tiles.
        screen: its size.
        groups: number of groups of runs; the header has a line for each.
    """
    columns = columns_on(count, screen)
    above = max(0, min(groups - 1, screen.height // 4 - BARS))
    space = Size(screen.width - SIDES, max(1, screen.height - BARS - above))
    grid = grid_for(count, space, Form(columns, boxed=True, panel=0))
    panel = max(GOOD_PANEL_HEIGHT, space.height // PANEL_SHARE)
    # a panel no wider than the tiles only repeats what they have as many lines for
    enough = min(GOOD_ROOM, panel - 1) if columns == 1 else GOOD_ROOM
    if count == 0 or (grid.boxed and grid.height - TILE_EDGES >= enough):
        return Form(columns, grid.boxed, 0)
    left = Size(space.width, max(1, space.height - panel))
    return Form(columns, grid_for(count, left, Form(columns, boxed=True, panel=0)).boxed, panel)


def panel_lines(count: int, size: Size, form: Form, *, have_ended: bool = False) -> int:
    """Return the lines of the panel: the lines that the tiles would leave empty are its own.

    Args:
        count: number of tiles.
        size: the space of tiles and panel.
        form: that of the tiles.
        have_ended: whether all runs have: tiles no longer scroll to leave a panel room.
    """
    if not form.panel or size.area <= 0:  # before the first layout
        return 0
    grid = grid_for(count, Size(size.width, max(1, size.height - form.panel)), form)
    rest = size.height - grid.rows * grid.height
    return 0 if have_ended and rest < MIN_PANEL_HEIGHT else max(MIN_PANEL_HEIGHT, rest)


def columns_on(count: int, screen: Size) -> int:
    """Return the columns in which `count` tiles show the most on a screen, whatever else is on it:
    with each line that the header or the waiting call takes, tiles get lower, but none moves to
    another column."""
    return grid_for(count, Size(screen.width - SIDES, max(1, screen.height - BARS))).columns


def lines_above(count: int, screen: Size, *, have_ended: bool) -> int:
    """Return the maximum number of lines above the tiles: once all runs have ended, their answers
    may take up to half of a screen, as long as each tile keeps a line."""
    quarter = max(2, screen.height // 4)
    if not have_ended:
        return quarter
    rows = -(-count // columns_on(count, screen))
    return max(quarter, min(screen.height // 2, screen.height - BARS - rows))


def grid_for(count: int, size: Size, form: Form | None = None) -> Grid:
    """Return the grid in which `count` tiles show the most, in this form if one is given."""
    if count == 0:
        return Grid(0, 1, 1, boxed=False)
    if form is not None:
        rows = -(-count // form.columns)
        height = max(1, size.height // rows)
        is_large = size.width // form.columns >= MIN_BOX_WIDTH and height >= MIN_BOX_HEIGHT
        return Grid(rows, form.columns, height, boxed=form.boxed and is_large)
    boxes = _grids(count, size, (MIN_BOX_WIDTH, MIN_BOX_HEIGHT), boxed=True)
    if boxes:
        return max(boxes, key=lambda grid: _worth(grid, size, GOOD_BOX_WIDTH, GOOD_BOX_HEIGHT))
    strips = _grids(count, size, (MIN_STRIP_WIDTH, 1), boxed=False)
    if strips:
        good = GOOD_STRIP_WIDTH, GOOD_STRIP_HEIGHT
        return max(strips, key=lambda grid: _worth(grid, size, *good))
    columns = max(1, min(count, size.width // SCROLLED_WIDTH))
    return Grid(-(-count // columns), columns, 1, boxed=False)


def _grids(count: int, size: Size, least: tuple[int, int], *, boxed: bool) -> list[Grid]:
    """Return all grids that fit, with tiles of at least this width and height."""
    found: list[Grid] = []
    for columns in range(1, max(1, size.width // least[0]) + 1):
        rows = -(-count // columns)
        height = size.height // rows
        if columns <= count and height >= least[1]:
            found.append(Grid(rows, columns, height, boxed))
    return found


def _worth(grid: Grid, size: Size, width: int, height: int) -> float:
    """Return how much of a run the tiles show; 1 means everything useful."""
    return min(size.width // grid.columns, width) * min(grid.height, height) / (width * height)


def regions(count: int, size: Size, form: Form | None = None) -> list[Region]:
    """Return a region for each tile, in rows from the top.

    Boxes fill the space; tiles in an incomplete row are wider. Strips are aligned in columns.
    """
    grid = grid_for(count, size, form)
    if not grid.boxed:
        return [_strip(index, grid, size) for index in range(count)]
    found: list[Region] = []
    for row, (top, bottom) in enumerate(_split(size.height, grid.rows)):
        many = count // grid.rows + (row < count % grid.rows)
        for left, right in _split(size.width, many):
            found.append(Region(left, top, right - left, bottom - top))
    return found


def _strip(index: int, grid: Grid, size: Size) -> Region:
    row, column = divmod(index, grid.columns)
    width = size.width // grid.columns  # the same for all, so that what they show is aligned
    is_last = column == grid.columns - 1
    left = column * width
    return Region(left, row * grid.height, size.width - left if is_last else width - 1, grid.height)


def _split(length: int, parts: int) -> list[tuple[int, int]]:
    """Split a length into equal parts; return their start and end positions."""
    edges = [length * part // parts for part in range(parts + 1)]
    return list(pairwise(edges))


def beyond(index: int, across: int, down: int, places: Sequence[Region]) -> int:
    """Return the index of the next tile in a direction; in another row, of the nearest one.

    At an edge, that is the same tile.
    """
    if across:
        return min(max(0, index + across), len(places) - 1)
    here = places[index]
    tops = sorted({place.y for place in places})
    row = tops.index(here.y) + down
    if not 0 <= row < len(tops):
        return index
    middle = here.x + here.width / 2
    candidates = [n for n, place in enumerate(places) if place.y == tops[row]]
    return min(candidates, key=lambda n: abs(places[n].x + places[n].width / 2 - middle))


class TileLayout(Layout):
    """Arranges widgets by `regions`.

    Attributes:
        places: regions of the most recently arranged widgets.
        groups: number of groups of runs.
    """

    name: ClassVar[str] = "tiles"

    def __init__(self) -> None:
        self.places: list[Region] = []
        self.groups = 0

    def form_of(self, count: int, screen: Size) -> Form:
        """Return the form of so many tiles on a screen."""
        return form_on(count, screen, groups=self.groups)

    @override
    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> list[WidgetPlacement]:
        parent.pre_layout(self)
        form = self.form_of(len(children), parent.screen.size)
        self.places = regions(len(children), size, form)
        return [
            WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, widget)
            for widget, region in zip(children, self.places, strict=True)
        ]


class TileGrid(VerticalScroll, inherit_bindings=False):
    """The container of the tiles; scrolls if there are too many to be visible at once. The keys of
    the wall move the cursor then, too: Textual's own would scroll instead."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("wall.page_up", "page(-1)", show=False),
        binding("wall.page_down", "page(1)", show=False),
    ]

    DEFAULT_CSS = """
    TileGrid { padding: 0 1; scrollbar-size-vertical: 1; }
    """

    def __init__(self) -> None:
        super().__init__(id="wall-tiles", can_focus=False)
        self._tile_layout = TileLayout()

    def action_page(self, direction: int) -> None:
        """Scroll a page down (1) or up (-1)."""
        if direction < 0:
            self.scroll_page_up()
        else:
            self.scroll_page_down()

    @property
    @override
    def layout(self) -> Layout:
        return self._tile_layout

    def form(self, count: int, *, groups: int) -> Form:
        """Return the form of so many tiles.

        Args:
            count: number of tiles shown.
            groups: number of groups of runs.
        """
        layout = self._tile_layout
        if layout.groups != groups:
            layout.groups = groups
            self.refresh(layout=True)
        return layout.form_of(count, self.screen.size)

    @property
    def places(self) -> Sequence[Region]:
        """The regions of the tiles, in order."""
        return self._tile_layout.places
