"""The home screen resumes an evaluation, and says of its rows what they are not."""

from __future__ import annotations

import time
from typing import Any

import pytest

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.listing import EvalRow
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.screens.evals.open_eval import EvalOpener
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.session_detail_pane import SessionDetailPane
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.screens.cockpit.test_replay_screen import until
from tests.screens.home.test_find_sessions import at_home
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.unit.event_streams import started


@pytest.fixture
def resumed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of the evaluations that were resumed, which starts no program here."""
    ids: list[str] = []

    def resume(_: EvalOpener, info: EvalInfo) -> None:
        ids.append(info.id)

    monkeypatch.setattr(EvalOpener, "resume", resume)
    return ids


async def test_an_interrupted_evaluation_is_resumed(store: Store, resumed: list[str]) -> None:
    enter_eval(store, time.time() - 10)
    ledger.release(store, EVAL_ID, "You stopped it.")
    assert ledger.summary(store, EVAL_ID).can_resume
    async with at_home(store, row=0) as (home, pilot):
        listed: Any = home.query_one(SessionList)
        await until(pilot, lambda: isinstance(listed.current_row, EvalRow))
        await until(pilot, lambda: "r" in [one.key for one in home.query_one(KeyBar).keys_shown])
        pane = home.query_one(SessionDetailPane)
        await until(pilot, lambda: any("r resume" in line.plain for line in pane.lines()))
        await pilot.press("r")
        await until(pilot, lambda: resumed == [EVAL_ID])


@pytest.mark.parametrize("marked", [False, True])
async def test_an_evaluation_cannot_be_marked(store: Store, marked: bool) -> None:
    store.append("one", [started("one", started_at=1_000.0)])
    store.give_up("one")
    enter_eval(store, time.time() - 10)
    async with at_home(store, row=0) as (home, pilot):
        listed: Any = home.query_one(SessionList)
        await until(pilot, lambda: isinstance(listed.current_row, EvalRow))
        if marked:
            await pilot.press("down")
            await until(pilot, lambda: listed.current is not None)
            await pilot.press("space")
            await until(pilot, lambda: bool(listed.marked))
            await pilot.press("home")
            await until(pilot, lambda: isinstance(listed.current_row, EvalRow))
        why = home.why_unavailable("mark", ())
        assert why == "an evaluation cannot be marked: enter lists its sessions"
