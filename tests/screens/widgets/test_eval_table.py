"""The table of domains by modes, as drawn on the screen."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.reporting.table import eval_table
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.evals.domain_table import INTERVAL_WORDS, DomainTable
from tests.unit.core.evals.reporting.sample_results import evaluation

INFO = EvalInfo(id="x", suite="s", digest="d", model="m")


class OneTable(App[None]):
    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield DomainTable()


@pytest.mark.parametrize("room", [3, 40])
async def test_samples_may_come_later(room: int) -> None:
    """At the very start of an evaluation no samples are known yet."""
    app = OneTable()
    async with app.run_test():
        table = app.query_one(DomainTable)
        table.show(eval_table(INFO, []), room)
        table.show(eval_table(INFO, [SampleResult(task="t", mode="sandbox", number=1)]), room)
        assert app.is_running


async def test_the_border_says_what_an_interval_is_where_one_is_shown() -> None:
    app = OneTable()
    async with app.run_test(size=(100, 30)):
        table = app.query_one(DomainTable)
        table.show(eval_table(INFO, []), 40)
        assert not table.border_subtitle
        table.show(eval_table(INFO, evaluation()), 40)
        assert table.border_subtitle == INTERVAL_WORDS
