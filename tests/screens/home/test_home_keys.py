"""The keys that the bar of the home screen names, by width."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.listing import EvalRow
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen
from sandbox_tui.tui.widgets.evals.eval_list import EvalList
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.screens.cockpit.test_replay_screen import until
from tests.screens.home.test_find_sessions import at_home
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.unit.event_streams import started


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Open a database whose newest session was interrupted."""
    with contextlib.closing(Store(tmp_path / "s.db")) as made:
        first = started("old", task="an old one", started_at=1_000.0)
        end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
        made.append("old", [first, end])
        first = started("new", task="a new one", started_at=time.time() - 5000)
        made.append("new", [first, e.ModelAsked(seq=2, t=1.0, step=1, digest="", messages=2)])
        made.give_up("new")
        yield made


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        (60, ["enter", "r", "n", "/"]),
        (100, ["enter", "r", "n", "/", "F", "x"]),
        (160, ["enter", "r", "n", "/", "F", "x", "^r", "E", "t", "c", "e", ","]),
    ],
)
async def test_what_is_used_often_stays_in_the_bar(
    store: Store, columns: int, wanted: list[str]
) -> None:
    async with at_home(store, (columns, 30)) as (home, pilot):
        bar = home.query_one(KeyBar)
        await until(pilot, lambda: "r" in [known.key for known in bar.keys_shown])
        keys = [known.key for known in bar.keys_shown]
        assert keys[: len(wanted)] == wanted
        assert {"q", "?"} <= set(keys)


@pytest.mark.parametrize("size", [(60, 20), (100, 30), (160, 45)])
async def test_keys_keep_their_places_from_row_to_row(store: Store, size: tuple[int, int]) -> None:
    enter_eval(store, time.time() - 10)
    async with at_home(store, size, row=0) as (home, pilot):
        sessions, bar = home.query_one(SessionList), home.query_one(KeyBar)
        places: dict[str, dict[str, int]] = {}
        for row, kind in enumerate(("evaluation", "interrupted", "submitted")):
            await until(pilot, lambda row=row: sessions.cursor == row)
            await until(pilot, lambda row=row: (sessions.current is None) == (row == 0))
            line = bar.render_line(0).text
            places[kind] = {
                f"{known.key} {known.words}": line.index(f"{known.key} {known.words}")
                for known in bar.keys_shown
            }
            await pilot.press("down")
        usual = places["submitted"]
        assert "r resume" in places["interrupted"]
        assert usual.keys() - {"^p palette"} <= places["interrupted"].keys()
        if size[0] >= 100:
            assert "F fork" in usual
            assert "F fork" not in places["evaluation"]


@pytest.mark.parametrize("size", [(60, 20), (100, 30), (160, 45)])
async def test_the_bar_of_an_evaluation_has_at_most_the_gap_of_one_key(
    store: Store, size: tuple[int, int]
) -> None:
    enter_eval(store, time.time() - 10)
    async with at_home(store, size, row=0) as (home, pilot):
        sessions, bar = home.query_one(SessionList), home.query_one(KeyBar)
        await until(pilot, lambda: isinstance(sessions.current_row, EvalRow))
        line = bar.render_line(0).text
        left = line[: line.index(next(k for k in bar.keys_shown if k.key == "?").key + " help")]
        gaps = [len(gap) for gap in re.findall(" {3,}", left.rstrip())]
        assert len(gaps) <= 1
        assert max(gaps, default=0) <= len("  c compare  ")


async def test_comparing_an_evaluation_goes_to_the_other_ones(store: Store) -> None:
    enter_eval(store, time.time() - 10)
    async with at_home(store, row=0) as (home, pilot):
        listed = home.query_one(SessionList)
        await until(pilot, lambda: isinstance(listed.current_row, EvalRow))
        assert home.why_unavailable("compare", ()) == "there is only one evaluation"
        plan, info = ledger.plan_of(store, EVAL_ID), ledger.summary(store).info
        ledger.create(store, msgspec.structs.replace(info, id="20250101-000000-other"), plan)
        await pilot.press("f5", "home")
        await until(pilot, lambda: not home.why_unavailable("compare", ()))
        await pilot.press("c")
        await until(pilot, lambda: isinstance(pilot.app.screen, EvalsScreen))
        evaluations = pilot.app.screen.query_one(EvalList)
        await until(pilot, lambda: evaluations.block_count() == 2)
        assert evaluations.marked is not None
        assert evaluations.marked.info.id == EVAL_ID
        assert evaluations.current == evaluations.marked
