"""The form for evaluations: what it refuses, and the program that it starts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Label, Select

from sandbox_tui.core.config import settings as config
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen
from sandbox_tui.tui.screens.evals.new_eval import NewEvalDialog
from sandbox_tui.tui.screens.evals.start_eval import NewEval
from tests.waiting import until


@asynccontextmanager
async def form(
    store: Store, size: tuple[int, int] = (100, 30)
) -> AsyncIterator[tuple[SandboxTui, Pilot[int]]]:
    settings = {"model.name": "m", "model.base_url": "http://x/v1", "model.local_ports": [1]}
    app = SandboxTui(config.load(settings), store)
    async with app.run_test(size=size) as pilot:
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewEvalDialog))
        yield app, pilot


def marked(app: SandboxTui) -> Callable[[], set[str | None]]:
    return lambda: {one.id for one in app.screen.query(".field.-wrong")}


async def test_the_suite_that_is_offered_is_replaced_by_typing(store: Store) -> None:
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        assert dialog.typed()["suite"] == "pocket"
        await pilot.press(*"math")
        assert dialog.typed()["suite"] == "math"


async def test_all_mistakes_are_shown_at_once(store: Store) -> None:
    async with form(store, (60, 20)) as (app, pilot):
        dialog: Any = app.screen
        wrong = {"suite": "", "model": " ", "url": "x", "limit": "all", "at_once": "0"}
        for name, text in wrong.items():
            dialog.put(name, text)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: marked(app)() == set(wrong))
        title = Content.from_markup(dialog.query_one("#box").border_title).plain
        assert title == "new evaluation · 5 fields need attention"
        assert app.focused is dialog.query_one("#suite")


@pytest.mark.parametrize(
    ("suite", "field", "words"),
    [
        ("no-such", "suite", "There is no suite 'no-such'"),
        ("/not/there.jsonl", "suite", "/not/there.jsonl"),
        ("tasks.jsonl", "scorer", "Choose a scorer."),
    ],
)
async def test_a_suite_that_cannot_be_run_is_refused_at_its_field(
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    suite: str,
    field: str,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks.jsonl").write_text('{"problem": "1 + 1", "target": "2"}\n')
    async with form(store) as (app, pilot):
        dialog: Any = app.screen
        dialog.put("suite", suite)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: marked(app)() == {field})
        assert words in str(dialog.query_one("#hint", Label).content)
        await pilot.press("escape", "n")
        await until(pilot, lambda: app.screen is not dialog)
        again: Any = app.screen
        assert again.typed()["suite"] == suite, "what was typed is kept"


def test_the_report_names_the_command_that_does_the_same() -> None:
    texts = {"suite": "my tasks.csv", "model": "m", "url": "", "kind": "auto", "mode": "vanilla"}
    new = NewEval.of({**texts, "scorer": "exact", "limit": "3", "samples": "", "at_once": "2"})
    assert new.command == (
        "sandbox-tui eval run 'my tasks.csv' --model m --sandbox auto --scorer exact "
        "--mode vanilla --limit 3 --concurrency 2"
    )


async def test_a_choice_opens_on_the_smallest_screens(store: Store) -> None:
    async with form(store, (40, 12)) as (app, pilot):
        scorer = app.screen.query_one("#scorer", Select)
        scorer.focus()
        await pilot.press("enter")
        await until(pilot, lambda: scorer.expanded)
        await pilot.press("down", "enter")
        await until(pilot, lambda: not scorer.expanded)
