"""A row of charts, as many side by side as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Resize
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.charts.chart import Chart, Series

MIN_CHART_CELLS = 36
"""Minimum width of a chart; narrower ones are hard to read."""

CHARTS = 4
"""Maximum number of charts side by side."""


class ChartView(Widget):
    """One chart."""

    DEFAULT_CSS = """
    ChartView { width: 1fr; height: 1fr; padding: 0 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.chart: Chart | None = None
        self.names: Sequence[str] = ()

    @override
    def render(self) -> Text:
        if self.chart is None:
            return Text()
        from sandbox_tui.tui.widgets.charts.plot import draw_chart

        width, height = self.content_size
        return draw_chart(self.chart, self.names, max(1, width), height, palette_of(self))


class ChartRow(Horizontal):
    """Shows one page of charts, as many as fit.

    Args:
        title: title of the row.
        id: id of the widget.
    """

    DEFAULT_CSS = """
    ChartRow {
        display: none; height: 12; border: round $border-blurred;
        border-title-color: $role-dim; border-subtitle-color: $role-dim;
    }
    ChartRow.-shown { display: block; }
    """

    def __init__(self, title: str, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._title = title
        self.border_title = title
        self._series: Series = ()
        self._names: Sequence[str] = ()
        self._first = 0

    def compose(self) -> ComposeResult:
        """Yield one view per chart."""
        for _ in range(CHARTS):
            yield ChartView()

    def show(self, series: Series, names: Sequence[str]) -> None:
        """Show these charts."""
        if (series, names) != (self._series, self._names):
            self._series, self._names = series, names
            self._deal()

    def next_page(self) -> bool:
        """Show the next page of charts; after the last one the first again, and return False."""
        following = self._first + self._at_once
        has_next = following < len(self._series)
        self._first = following if has_next else 0
        self._deal()
        return has_next

    @property
    def _at_once(self) -> int:
        return max(1, min(CHARTS, self.content_size.width // MIN_CHART_CELLS))

    def on_resize(self, event: Resize) -> None:
        """Show as many charts as fit."""
        self._deal()

    def _deal(self) -> None:
        last = max(0, len(self._series) - 1)  # there may be fewer than before
        self._first = min(self._first, last) // self._at_once * self._at_once
        shown = self._series[self._first : self._first + self._at_once]
        for at, view in enumerate(self.query(ChartView)):
            view.display = at < len(shown)
            view.chart = shown[at] if at < len(shown) else None
            view.names = self._names
            view.refresh()
        more = len(self._series) > self._at_once
        pages = -(-len(self._series) // self._at_once) if self._series else 1
        page = self._first // self._at_once + 1
        self.border_title = f"{self._title}  {page} of {pages}" if more else self._title
