"""The scorer in the form for evaluations: it goes with the suite that it was chosen for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Select

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.screens.evals.evals_screen import DRAFT_FILE, EvalsScreen
from sandbox_tui.tui.screens.evals.start_eval import OWN_SCORER
from sandbox_tui.tui.screens.new_run.kept_draft import KeptDraft
from tests.integration.test_new_eval import form
from tests.waiting import until


@pytest.fixture
def data(tmp_path: Path) -> str:
    """A file of tasks that name no scorer."""
    file = tmp_path / "slow.jsonl"
    file.write_text('{"question": "2 + 2?", "answer": "4"}\n')
    return str(file)


@pytest.fixture
def mine(tmp_path: Path, data: str) -> str:
    """A suite of these tasks with a scorer of its own."""
    file = tmp_path / "mine.yaml"
    file.write_text(f"dataset: {{path: {Path(data).name}}}\nscorers: exact\n")
    return str(file)


def evaluated(store: Store, data: str) -> None:
    """Record an evaluation of the file with the scorer `number`."""
    ran = f"sandbox-tui eval run {data} --scorer number"
    info = EvalInfo(id="e", suite="slow", digest="", model="m", modes=("vanilla",), command=ran)
    suite = Suite(name="slow", tasks=(Task(id="1", problem="?", target="4"),), modes=("vanilla",))
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=config.load({})))


async def test_another_suite_has_its_own_scorer_and_not_that_of_the_last_one(
    store: Store, data: str, mine: str
) -> None:
    evaluated(store, data)
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        assert dialog.typed()["scorer"] == "number"
        suite = dialog.query_one("#suite")
        suite.value = mine
        await until(pilot, lambda: dialog.typed()["scorer"] == OWN_SCORER)
        suite.value = data
        await until(pilot, lambda: dialog.typed()["scorer"] == "number")
        suite.value = mine
        await until(pilot, lambda: dialog.typed()["scorer"] == OWN_SCORER)
        await pilot.press("f8")
        await pilot.pause()
        assert (suite.value, dialog.typed()["scorer"]) == (data, "number")
        await pilot.press("f8")
        await pilot.pause()
        assert (suite.value, dialog.typed()["scorer"]) == (mine, OWN_SCORER)


async def test_a_scorer_that_was_chosen_stays_and_says_that_it_replaces_that_of_the_suite(
    store: Store, data: str, mine: str
) -> None:
    evaluated(store, data)
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        scorer = dialog.query_one("#scorer", Select)
        scorer.value = "judge"
        await pilot.pause()
        dialog.query_one("#suite").value = mine
        await until(pilot, lambda: str(scorer.border_subtitle) == "replaces exact")
        assert scorer.value == "judge"
        assert dialog.hint_of("scorer") == "replaces the suite's own scorer, exact"
        scorer.value = "exact"
        await until(pilot, lambda: str(scorer.border_subtitle) == "")
        dialog.query_one("#suite").value = "math"
        await until(pilot, lambda: str(scorer.border_subtitle) == "replaces math_verify")


@pytest.mark.parametrize("kept", [{}, {"scorer": "judge"}])
async def test_a_draft_of_another_suite_does_not_get_the_scorer_of_the_last_one(
    store: Store, data: str, mine: str, kept: dict[str, str]
) -> None:
    evaluated(store, data)
    KeptDraft(config.data_dir() / DRAFT_FILE).write({"suite": mine, **kept})
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        expected = kept.get("scorer", OWN_SCORER)
        assert dialog.typed()["scorer"] == expected
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
    found = KeptDraft(config.data_dir() / DRAFT_FILE).read()
    assert found is not None
    assert found.texts == {"suite": mine, "scorer": expected}


async def test_tab_completes_the_path_of_a_suite(store: Store, mine: str) -> None:
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        await pilot.press(*mine.removesuffix("ne.yaml"), "tab")
        await until(pilot, lambda: dialog.typed()["suite"] == mine)
        assert app.focused is dialog.query_one("#suite")
