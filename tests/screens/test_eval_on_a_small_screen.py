"""An evaluation on a small screen: its samples keep their lines, whatever stands above them."""

from __future__ import annotations

import time

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import RunRegistry, Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.source import RecordedEval
from sandbox_tui.tui.widgets.charts.chart_row import ChartRow
from sandbox_tui.tui.widgets.evals.sample_list import SampleRows
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.waiting import until

MIN_SAMPLES = 3


@pytest.mark.parametrize("size", [(60, 20), (60, 16), (100, 30)])
async def test_charts_give_way_to_the_samples(store: Store, size: tuple[int, int]) -> None:
    enter_eval(store, time.time())
    ledger.release(store, EVAL_ID, "You stopped it.")
    app = SandboxTui(load({"model.local_ports": [1]}), store)
    async with app.run_test(size=size, notifications=True) as pilot:
        source = RecordedEval(ledger.summary(store), store)
        screen = EvalScreen(source, RunRegistry(store))
        await app.push_screen(screen)
        await until(pilot, lambda: screen.is_settled)
        await pilot.press("c")
        rows, charts = screen.query_one(SampleRows), screen.query_one(ChartRow)
        await until(pilot, lambda: charts.display and charts.size.height > 0)
        assert rows.size.height >= MIN_SAMPLES
        screen.notify("Wrote a report into a folder with a long name, and more words. " * 2)
        await until(pilot, lambda: bool(app.screen.query("Toast")))
        await pilot.pause()
        assert rows.size.height >= MIN_SAMPLES
        assert not screen.show_vertical_scrollbar
        assert screen.query_one("#eval-title").size.width == size[0] - 2
        rows.focus()
        await pilot.press("n", "n")
        assert rows.is_visible(rows.cursor)
