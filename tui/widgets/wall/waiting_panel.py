"""The panel below small tiles: the waiting call of the chosen run, large enough to decide."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.geometry import Size
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.wall.run_selection import next_waiting
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from sandbox_tui.tui.widgets.wall.tile_layout import TILE_EDGES, columns_on, grid_for
from sandbox_tui.tui.widgets.wall.waiting_call import (
    decision_keys,
    lines_needed,
    waiting_call_lines,
)

MIN_HEIGHT, MAX_HEIGHT = 4, 12
"""Lines of the panel: the run, its call, and the keys."""

HINT_HEIGHT = 2
"""Lines of the panel if another run waits than the chosen one: which, and its call in short."""

EDGES = 3
"""Columns that border and padding of the panel take."""

GOOD_ROOM = 6
"""Lines of a call in a tile from which on a panel would not show much more."""


def panel_height(tiles: Sequence[RunTile], size: Size, screen: Size, palette: Palette) -> int:
    """Return the lines of the panel; 0 if no run waits or the tiles show enough of the calls.

    Args:
        tiles: those on the wall.
        size: the space for the tiles if there is no panel.
        screen: the size of the screen.
        palette: the palette to draw with.
    """
    if size.area <= 0:  # before the first layout
        return 0
    waiting = [(item, one.preview) for one in tiles if (item := one.state.pending) is not None]
    grid = grid_for(len(tiles), size, columns_on(len(tiles), screen))
    width = size.width // max(1, grid.columns) - TILE_EDGES
    room = grid.height - TILE_EDGES if grid.boxed else 0
    needed = [lines_needed(item, width, palette, preview) + 1 for item, preview in waiting]
    if not needed or room >= GOOD_ROOM or max(needed) <= room:
        return 0
    third = size.height // 3
    spare = _spare(len(tiles), Size(size.width, max(1, size.height - third)), grid.columns)
    most = min(MAX_HEIGHT, third + spare)
    whole = max(lines_needed(item, size.width, palette, preview) for item, preview in waiting)
    return max(MIN_HEIGHT, min(most, whole + 2))


def _spare(count: int, size: Size, columns: int) -> int:
    """Return the lines that tiles leave empty in a space."""
    grid = grid_for(count, size, columns)
    return 0 if grid.boxed else max(0, size.height - grid.rows * grid.height)


class WaitingPanel(Widget):
    """Shows the waiting call of one tile; call `show` after any change."""

    DEFAULT_CSS = """
    WaitingPanel {
        display: none; padding: 0 1; background: $panel; border-left: outer $role-human;
    }
    WaitingPanel.-shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(id="wall-waiting")
        self._tile: RunTile | None = None
        self._is_chosen = False

    def show_for(
        self, tiles: Sequence[RunTile], chosen: RunTile | None, size: Size, screen: Size
    ) -> bool:
        """Show the chosen run's waiting call, or the next one's, if the tiles are too small for it;
        return whether they are.

        Args:
            tiles: those on the wall.
            chosen: the one with the focus.
            size: the space that the tiles have now.
            screen: the size of the screen.
        """
        taken = self.outer_size.height if self.display else 0
        without = Size(size.width, size.height + taken)
        height = panel_height(tiles, without, screen, palette_of(self))
        chosen = chosen if chosen in tiles else None
        is_chosen = chosen is not None and chosen.state.pending is not None
        tile = chosen if is_chosen else next_waiting(tiles, chosen)
        self.show(tile, is_chosen=is_chosen, height=height)
        return height > 0

    def show(self, tile: RunTile | None, *, is_chosen: bool, height: int) -> None:
        """Show the call of a tile in this many lines; hide the panel if there is no tile.

        Args:
            tile: a waiting run.
            is_chosen: whether its tile has the focus, so that the keys decide about this call.
            height: lines at most; those that the call does not need are left to the tiles.
        """
        self._tile, self._is_chosen = tile, is_chosen
        self.set_class(tile is not None and height > 0, "-shown")
        needed = self._needed(tile, height) if is_chosen else HINT_HEIGHT
        self.styles.height = max(1, min(height, needed))
        self.refresh()

    def _needed(self, tile: RunTile | None, height: int) -> int:
        """Return the lines that the head, as much of the call as fits, and the keys take."""
        pending = None if tile is None else tile.state.pending
        if tile is None or pending is None:
            return 0
        width = max(2, self.screen.size.width - EDGES)
        room = max(1, height - 2)
        return len(waiting_call_lines(pending, width, room, palette_of(self), tile.preview)) + 2

    @override
    def render(self) -> Text:
        tile, palette = self._tile, palette_of(self)
        pending = None if tile is None else tile.state.pending
        if tile is None or pending is None:
            return Text()
        width, height = max(2, self.content_size.width), max(1, self.content_size.height)
        head = self._head(tile, palette)
        if not self._is_chosen:
            words = sanitize_line(summarize_call(pending.call.name, pending.arguments))
            line = Text(f"   {short_name(sanitize_line(pending.call.name))}  ", style=palette.tool)
            line.append(words, style=palette.dim)
            lines = [head, line]
        elif height < 3:
            lines = waiting_call_lines(pending, width, height, palette, tile.preview)
        else:
            call = waiting_call_lines(pending, width, height - 2, palette, tile.preview)
            keys = decision_keys(width, palette, steers=tile.worker.steers)
            lines = [head, *call, keys]
        for line in lines:
            fit_line(line, width)
        return Text("\n").join(lines[:height])

    def _head(self, tile: RunTile, palette: Palette) -> Text:
        line = Text(f"◆ run {tile.number} waits for you", style=palette.human, no_wrap=True)
        if not self._is_chosen:
            key = hint("wall.waiting")
            line.append(f"  {key} ", style=palette.accent).append("goes there", style=palette.dim)
        names = [name for name in tile.names if name]
        return line.append(f"  {' · '.join(names)}" if names else "", style=palette.text)
