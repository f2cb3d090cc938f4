"""The labels of a chart's vertical axis."""

from __future__ import annotations

import pytest

from sandbox_tui.tui.widgets.charts.chart import Chart
from sandbox_tui.tui.widgets.charts.plot import draw_chart
from sandbox_tui.tui.widgets.evals.series import series_of
from tests.unit.core.evals.reporting.sample_results import INFO, result
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
    assert labels_of(Chart("tokens", {"sandbox": ([0.0, 1.0], values)})) == labels


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_scores_have_an_axis_from_0_to_100(score: float) -> None:
    done = [result(name, "sandbox", score, ended_at=9.0) for name in "ab"]
    chart = series_of(INFO, done)[0]
    assert labels_of(chart) == ["100", "50", "0"]
    drawn = draw_chart(chart, ("sandbox",), 40, 10, PALETTE).plain
    assert any("\u2800" < mark <= "\u28ff" for mark in drawn), "a curve at the border is drawn"


def labels_of(chart: Chart) -> list[str]:
    lines = draw_chart(chart, ("sandbox",), 40, 10, PALETTE).plain.splitlines()
    return [word for line in lines[1:-1] if (word := line[:5].strip())]
