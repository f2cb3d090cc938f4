"""Charts are shown page by page."""

from __future__ import annotations

from textual.app import App, ComposeResult

from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.charts.chart import Chart
from sandbox_tui.tui.widgets.charts.chart_row import ChartRow, ChartView


class Row(App[None]):
    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield ChartRow("curves", id="charts")


def titles(row: ChartRow) -> list[str]:
    return [view.chart.title for view in row.query(ChartView) if view.chart is not None]


async def test_pages_turn_and_never_show_what_is_not_there() -> None:
    app = Row()
    async with app.run_test(size=(80, 20)) as pilot:
        row = app.query_one(ChartRow)
        row.add_class("-shown")
        await pilot.pause()
        series = tuple(Chart(title=str(number), curves={}) for number in range(5))
        row.show(series, ())
        assert titles(row) == ["0", "1"]
        assert row.next_page()
        assert row.next_page()
        assert titles(row) == ["4"]
        assert not row.next_page()
        assert titles(row) == ["0", "1"]
        assert row.next_page()
        row.show(series[:1], ())
        assert titles(row) == ["0"]
        row.show(series, ())
        assert row.next_page()
        await pilot.resize_terminal(170, 20)
        await pilot.pause()
        assert titles(row) == ["0", "1", "2", "3"]
