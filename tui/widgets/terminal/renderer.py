"""Draws the visible lines of a terminal view: text, cursor, search matches and selection."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.style import Style
from textual.app import App
from textual.geometry import Region
from textual.selection import Selection
from textual.strip import Strip

from sandbox_tui.tui.theming.palette import palette_of, selection_of
from sandbox_tui.tui.widgets.strip_ops import split_at, with_span
from sandbox_tui.tui.widgets.terminal.drawing import colours_of
from sandbox_tui.tui.widgets.terminal.line_cache import LineCache
from sandbox_tui.tui.widgets.terminal.shown_rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandbox_tui.tui.widgets.terminal.view import TerminalView

CURSOR_VISIBLE = 25
"""Mode in which the cursor is drawn (DECTCEM)."""


class LineRenderer:
    """Draws the lines of one view; index 0 is the oldest line kept."""

    def __init__(self, view: TerminalView) -> None:
        self._view = view
        self._cache: LineCache | None = None
        self._cache_key: tuple[str, Style, int, int] | None = None

    def forget(self, rows: Iterable[int]) -> None:
        """Mark these screen rows for redrawing."""
        if self._cache is not None:
            self._cache.forget(rows)

    def forget_all(self) -> None:
        """Mark every line for redrawing."""
        self._cache = None

    def visible(self, crop: Region) -> list[Strip]:
        """Return the lines of a region of the widget.

        Replaces Textual's own loop, which adds borders and padding that a terminal does not have:
        without them a frame takes half the time.
        """
        view, lines = self._view, self._lines()
        selection = view.text_selection
        rows = view.rows.at(range(*crop.line_span))
        strips = [self._marked(lines, row, selection) for row in rows]
        _, background = view.background_colors
        for line_filter in view.get_line_filters():
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if crop.column_span != (0, view.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def selectable(self, y: int) -> Strip:
        """Return the line of a widget row, with the offsets that Textual needs for text
        selection."""
        view, lines = self._view, self._lines()
        emulator, (row,) = view.emulator, view.rows.at(range(y, y + 1))
        if row.line_index >= emulator.history_size + emulator.lines:
            return lines.plain(emulator, row)
        strip = lines.whole(emulator, row.line_index)
        return lines.in_view(strip.apply_offsets(0, view.first_line + row.line_index), row)

    def text(self, index: int) -> str:
        """Return the displayed text of a line; empty below the last line."""
        emulator = self._view.emulator
        if index >= emulator.history_size + emulator.lines:
            return ""
        return self._lines().whole(emulator, index).text

    def _lines(self) -> LineCache:
        """Return the cache for the current theme, style and width."""
        view = self._view
        app = cast("App[object]", view.app)  # pyright: ignore[reportUnknownMemberType]
        uncovered = view.scrollable_content_region.width
        key = (app.theme, view.rich_style, view.size.width, uncovered)
        if self._cache is None or self._cache_key != key:
            _, base, width, _ = self._cache_key = key
            palette = palette_of(view)
            colours = colours_of(base, palette, app.current_theme.dark)
            mark = palette.accent
            self._cache = LineCache(colours, width, uncovered=uncovered, mark=mark)
        return self._cache

    def _marked(self, lines: LineCache, row: Row, selection: Selection | None) -> Strip:
        view, emulator = self._view, self._view.emulator
        on_screen = row.line_index - emulator.history_size
        has_cursor = on_screen == emulator.y and CURSOR_VISIBLE in emulator.modes
        marked = has_cursor or view.search.active or selection is not None
        if not marked or on_screen >= emulator.lines:
            return lines.plain(emulator, row)
        strip, line = lines.whole(emulator, row.line_index), view.first_line + row.line_index
        if has_cursor:
            strip = self._with_cursor(strip, lines.colours.base)
        strip = view.search.mark(strip, line)
        if selection is not None:
            strip = with_span(strip, selection.get_span(line), selection_of(view))
        return lines.with_edges(strip, row)

    def _with_cursor(self, strip: Strip, base: Style) -> Strip:
        view, emulator = self._view, self._view.emulator
        x = min(emulator.x, emulator.columns - 1)
        strip = strip.extend_cell_length(x + 1, base)
        if view.attached and view.has_focus:
            accent = palette_of(view).accent
            look = Style(color=base.bgcolor, bgcolor=accent.color)
        else:
            look = Style(reverse=True, dim=True)
        return split_at(strip, x, x + 1, look)
