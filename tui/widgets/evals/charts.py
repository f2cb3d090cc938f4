"""The charts of an evaluation, as many side by side as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Resize
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.evals.sample import EvalMode
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.evals.series import Chart, Series

MIN_CHART_CELLS = 36
"""Narrower charts say little."""

CHARTS = 4


class ChartView(Widget):
    """One chart."""

    DEFAULT_CSS = """
    ChartView { width: 1fr; height: 1fr; padding: 0 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.chart: Chart | None = None
        self.modes: Sequence[EvalMode] = ()

    @override
    def render(self) -> Text:
        if self.chart is None:
            return Text()
        from sandbox_tui.tui.widgets.evals.plot import draw_chart

        width, height = self.content_size
        return draw_chart(self.chart, self.modes, max(1, width), height, palette_of(self))


class EvalCharts(Horizontal):
    """Shows the charts from one of them on; the others are pages of their own."""

    DEFAULT_CSS = """
    EvalCharts {
        display: none; height: 12; border: round $border-blurred;
        border-title-color: $role-dim; border-subtitle-color: $role-dim;
    }
    EvalCharts.-shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(id="eval-charts")
        self.border_title = "over time"
        self._series: Series = ()
        self._modes: Sequence[EvalMode] = ()
        self._first = 0

    def compose(self) -> ComposeResult:
        """Room for each."""
        for _ in range(CHARTS):
            yield ChartView()

    def show(self, series: Series, modes: Sequence[EvalMode]) -> None:
        """Show these charts."""
        if (series, modes) != (self._series, self._modes):
            self._series, self._modes = series, modes
            self._deal()

    def next_page(self) -> bool:
        """Show the charts that there was no room for; False after the last."""
        self._first += self._at_once
        if self._first >= len(self._series):
            self._first = 0
            return False
        self._deal()
        return True

    @property
    def _at_once(self) -> int:
        return max(1, min(CHARTS, self.content_size.width // MIN_CHART_CELLS))

    def on_resize(self, event: Resize) -> None:
        """As many as fit."""
        self._deal()

    def _deal(self) -> None:
        shown = self._series[self._first : self._first + self._at_once]
        for at, view in enumerate(self.query(ChartView)):
            view.display = at < len(shown)
            view.chart = shown[at] if at < len(shown) else None
            view.modes = self._modes
            view.refresh()
        more = len(self._series) > self._at_once
        pages = -(-len(self._series) // self._at_once) if self._series else 1
        page = self._first // self._at_once + 1
        self.border_title = f"over time  {page} of {pages}" if more else ("over time")
