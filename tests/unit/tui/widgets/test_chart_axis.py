"""The labels of a chart's vertical axis."""

from __future__ import annotations

import pytest

from sandbox_tui.tui.widgets.charts.chart import Chart
from sandbox_tui.tui.widgets.charts.plot import draw_chart
from tests.unit.tui.widgets.test_preview_kinds import PALETTE


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([1300.0, 1300.0], ["1.3k"]),
        ([1340.0, 1360.0], ["1.4k", "1.3k"]),
        ([10.0, 30.0], ["30", "20", "10"]),
    ],
)
def test_equal_labels_appear_once(values: list[float], labels: list[str]) -> None:
    chart = Chart("tokens", {"sandbox": ([0.0, 1.0], values)})
    lines = draw_chart(chart, ("sandbox",), 40, 10, PALETTE).plain.splitlines()
    assert [word for line in lines[1:-1] if (word := line[:5].strip())] == labels
