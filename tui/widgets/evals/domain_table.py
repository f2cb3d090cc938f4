"""The table of domains and modes, updated live; a row opens the samples of its domain."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from typing_extensions import override

from sandbox_tui.core.evals.reporting.table import ALL_DOMAINS, EvalTable
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.evals.domain_grid import (
    Figure,
    Grid,
    grid_by_domain,
    grid_by_mode,
    rows_of,
)
from sandbox_tui.tui.widgets.themed_text import ThemedText

FRAME_LINES = 3
"""Lines of the pane that are not rows: its border and the column titles."""

OTHER_LINES = 14
"""Lines that the table leaves for header, keys and some samples, unless it takes half of a short
screen."""

MIN_TABLE_LINES = 6
CHART_LINES = 12

INTERVAL_WORDS = "low…high: 95% confidence interval"
"""Explains the two numbers after a score or a difference."""


def table_room(height: int, *, has_charts: bool) -> int:
    """Return the most lines that the table takes on a screen.

    Args:
        height: lines of the screen.
        has_charts: whether charts stand below the table.
    """
    room = height - OTHER_LINES - (CHART_LINES if has_charts else 0)
    half = 0 if has_charts else height // 2 - 3
    return max(MIN_TABLE_LINES, room, half)


class HeadChanged(Message):
    """The columns changed, so their titles must be redrawn."""


class DomainRows(BlockList):
    """The rows of the table."""

    def __init__(self) -> None:
        super().__init__(id="eval-domains")
        self._table: EvalTable | None = None
        self._grid: Grid | None = None
        self._by_mode = False
        self.following = False

    def show(self, table: EvalTable, *, by_mode: bool) -> None:
        """Show the current table; the cursor stays on its row."""
        self._table, self._by_mode = table, by_mode
        self._lay_out()
        self.following = False
        self.reset()
        if self.cursor < 0 and self.block_count():
            self.cursor = 0

    @property
    def head(self) -> str:
        """The column titles."""
        return self._grid.head if self._grid else ""

    @property
    def has_intervals(self) -> bool:
        """Whether values are followed by their confidence intervals."""
        return self._grid is not None and self._grid.has_intervals

    @property
    def domain(self) -> str | None:
        """The domain under the cursor, or None for all domains."""
        rows = rows_of(self._table) if self._table else []
        if not 0 <= self.cursor < len(rows) or rows[self.cursor].domain == ALL_DOMAINS:
            return None
        return rows[self.cursor].domain

    def _lay_out(self) -> None:
        if self._table is not None and rows_of(self._table):  # otherwise nothing has been read yet
            grid = grid_by_mode if self._by_mode else grid_by_domain
            self._grid = grid(self._table, max(1, self.scrollable_content_region.width))

    @override
    def on_resize(self, event: object) -> None:
        """Choose the columns that fit the new width."""
        self._lay_out()
        self.reset()
        self.post_message(HeadChanged())

    @override
    def block_count(self) -> int:
        return len(self._grid.blocks) if self._grid else 0

    @override
    def block_height(self, index: int, width: int) -> int:
        return len(self._grid.blocks[index]) if self._grid else 1

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        if self._grid is None:
            return []
        palette = palette_of(self)
        return [_line(figures, palette) for figures in self._grid.blocks[index]]


class DomainTable(Vertical):
    """The table with its column titles, in a frame."""

    DEFAULT_CSS = """
    DomainTable {
        height: auto; border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim; padding: 0 1;
        &:focus-within { border: round $accent; border-title-color: $accent; }
    }
    DomainTable ThemedText { height: 1; }
    DomainTable DomainRows { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__(id="eval-table")
        self.border_title = "domains"
        self._table: EvalTable | None = None

    def compose(self) -> ComposeResult:
        """Yield column titles and rows."""
        yield ThemedText(self._head, id="eval-table-head")
        yield DomainRows()

    def show(self, table: EvalTable, room: int) -> None:
        """Show the table in at most `room` lines, including the frame."""
        self._table = table
        modes, rows = len(table.modes), len(rows_of(table))
        by_mode = rows * modes + FRAME_LINES <= room
        lines = rows * (modes if by_mode else 1) + FRAME_LINES
        self.styles.height = max(FRAME_LINES + 1, min(lines, room))
        self.query_one(DomainRows).show(table, by_mode=by_mode)
        self._refresh_head()

    @on(HeadChanged)
    def _refresh_head(self) -> None:
        has_intervals = self.query_one(DomainRows).has_intervals
        self.border_subtitle = INTERVAL_WORDS if has_intervals else ""
        self.query_one(ThemedText).refresh()

    def _head(self, palette: Palette) -> Text:
        head = self.query_one(DomainRows).head
        return Text(head, style=palette.dim, no_wrap=True, overflow="crop")


def _line(figures: tuple[Figure, ...], palette: Palette) -> Text:
    styles: dict[str, Style] = {
        "name": palette.strong,
        "mode": palette.tool,
        "figure": palette.text,
        "dim": palette.dim,
        "better": palette.good,
        "worse": palette.bad,
    }
    line = Text(no_wrap=True)
    for figure in figures:
        line.append(figure.text, style=styles[figure.kind])
    return line
