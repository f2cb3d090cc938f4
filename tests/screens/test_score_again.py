"""Scoring the recorded answers of an evaluation again: a scorer is chosen from a list."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.scorers.table import NEED_SANDBOX, SCORES
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.lifecycle.first_screen import WatchEval
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.scoring.choose_scorer import NO_TARGET, ChooseScorerDialog
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from tests.waiting import until


def ended_evaluation(store: Store, target: str = "4") -> ledger.EvalSummary:
    """An evaluation of one task, answered with `5`."""
    suite = Suite(
        name="sums",
        tasks=(Task(id="a", problem="?", target=target),),
        scorers={"": "exact"},
        modes=("vanilla",),
    )
    info = EvalInfo(id="e", suite="sums", digest="", model="m", modes=("vanilla",))
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=load({})))
    (one,) = ledger.results(store, info.id)
    over = {"status": "scored", "score": 0.0, "answer": "5", "finish_reason": "answered"}
    ledger.finish(store, info.id, msgspec.structs.replace(one, **over))
    ledger.release(store, info.id)
    return ledger.summary(store, info.id)


@asynccontextmanager
async def asked(
    store: Store, target: str = "4", size: tuple[int, int] = (100, 30)
) -> AsyncIterator[tuple[Any, Pilot[int]]]:
    first = WatchEval(ended_evaluation(store, target))
    app: Any = SandboxTui(load({"model.local_ports": [1]}), store, first)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, EvalScreen))
        await until(pilot, lambda: app.screen.check_action("score_again", ()))
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, ChooseScorerDialog))
        yield app, pilot


def lines(app: Any, width: int = 96) -> list[str]:
    shown = app.screen.query_one(EntryList)
    blocks = (shown.draw_block(at, width) for at in range(shown.block_count()))
    return [" ".join(line.plain for line in block) for block in blocks]


def said(app: Any) -> list[str]:
    return [one.message for one in app._notifications]


async def test_every_scorer_is_listed_with_what_it_scores(store: Store) -> None:
    async with asked(store) as (app, _):
        listed = lines(app)
        for name, what in SCORES.items():
            line = next(line for line in listed if line.split()[0] == name)
            if name in NEED_SANDBOX:
                assert "works in a sandbox, which is gone" in line
            else:
                assert what in line
        assert app.screen.query_one(EntryList).current.name == ""
        assert "the scorers that the tasks have" in listed[1]


async def test_typed_text_filters_and_enter_scores(store: Store) -> None:
    async with asked(store) as (app, pilot):
        await pilot.press(*"numb")
        await until(pilot, lambda: len(lines(app)) == 2)
        await pilot.press("enter")
        await until(pilot, lambda: any("0 of 1 verdict changed" in words for words in said(app)))
        await until(pilot, lambda: isinstance(app.screen, EvalScreen))


async def test_a_scorer_that_works_in_a_sandbox_cannot_be_chosen(store: Store) -> None:
    async with asked(store) as (app, pilot):
        await pilot.press(*"swe", "down", "enter")
        await until(pilot, lambda: "Works in a sandbox, which is gone." in said(app))
        assert isinstance(app.screen, ChooseScorerDialog)


async def test_enter_says_why_if_only_scorers_are_listed_that_cannot_be_chosen(
    store: Store,
) -> None:
    async with asked(store) as (app, pilot):
        await pilot.press(*"swe", "enter")
        await until(pilot, lambda: "Works in a sandbox, which is gone." in said(app))
        assert isinstance(app.screen, ChooseScorerDialog)


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
async def test_one_that_needs_a_target_says_that_there_is_none(
    store: Store, size: tuple[int, int]
) -> None:
    async with asked(store, "", size) as (app, _):
        number = next(line for line in lines(app) if line.split()[0] == "number")
        assert NO_TARGET in number
        constraints = next(line for line in lines(app) if line.split()[0] == "constraints")
        assert NO_TARGET not in constraints


async def test_your_own_scorer_can_be_typed_and_stays_when_it_cannot_be_used(store: Store) -> None:
    async with asked(store) as (app, pilot):
        await pilot.press(*"mine", "colon", *"It")
        await until(pilot, lambda: "mine:It" in lines(app)[1])
        await pilot.press("enter")
        await until(pilot, lambda: any("mine:It cannot be loaded" in one for one in said(app)))
        await until(pilot, lambda: isinstance(app.screen, ChooseScorerDialog))
        assert app.screen.typed == "mine:It"
