"""Names from data sets in the borders of widgets: brackets are text there, not markup."""

from __future__ import annotations

import contextlib
from pathlib import Path

from textual.app import App, ComposeResult

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.rl.groups import groups_of
from sandbox_tui.sessions.store.tables.rollouts import Rollout
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.samples.sample_filter import SampleFilter
from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.evals.sample_list import SampleList
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.training.group_table import GroupTable
from tests.screens.cockpit.test_replay_screen import until
from tests.screens.home.test_find_sessions import at_home
from tests.snapshots.sample_eval import enter_eval

NAME = "[/math] [bold]"


class Table(App[None]):
    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield GroupTable()


async def test_a_group_of_rollouts() -> None:
    rollout = Rollout(run_id="r", step=1, task=NAME, number=0, split="train", began_at=1.0)
    group = groups_of((rollout,))[0]
    app = Table()
    async with app.run_test():
        table = app.query_one(GroupTable)
        table.show(group, 0, running=False)
        assert table._border_title is not None
        assert table._border_title.plain == f"step 1 · {NAME}"


async def test_a_domain_of_an_evaluation(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        enter_eval(store, 8e9)
        async with at_home(store, row=0) as (home, pilot):
            await until(pilot, lambda: home.query_one(SessionList).current_row is not None)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(home.app.screen, EvalScreen))
            screen = home.app.screen
            assert isinstance(screen, EvalScreen)
            await until(pilot, lambda: screen.is_settled)
            screen._filter = SampleFilter(domain=NAME)
            screen._show_filtered()
            shown = screen.query_one(SampleList)._border_title
            assert shown is not None
            assert NAME in shown.plain
