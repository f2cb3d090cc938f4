"""The palette on an evaluation: a new one, the same one again, its report in other formats."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import RunRegistry, Store
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen
from sandbox_tui.tui.screens.evals.new_eval import NewEvalDialog
from sandbox_tui.tui.screens.evals.open_eval import EvalOpener
from sandbox_tui.tui.screens.evals.source import RecordedEval
from sandbox_tui.tui.screens.palette.entry import Entry
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.waiting import until


@pytest.fixture
def app(store: Store, own_home: Path) -> SandboxTui:
    return SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)


async def on_evaluation(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
    found = enter_eval(store, time.time())
    await app.push_screen(EvalScreen(RecordedEval(found, store), RunRegistry(store)))
    await until(pilot, lambda: isinstance(app.screen, EvalScreen))


async def first_of(app: SandboxTui, pilot: Pilot[int], typed: str) -> Entry:
    """Open the palette if it is closed, type, and return the entry under the cursor."""
    if not isinstance(app.screen, PaletteScreen):
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, PaletteScreen) and app.screen.is_read)
    app.screen.query_one(Input).value = typed
    await pilot.pause()
    entry = app.screen.query_one(EntryList).current
    assert entry is not None, typed
    return entry


@pytest.mark.parametrize("typed", ["csv", "as csv", "export csv", "report csv"])
async def test_a_format_of_the_report_copies_its_command(
    app: SandboxTui, store: Store, typed: str
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await on_evaluation(app, pilot, store)
        entry = await first_of(app, pilot, typed)
        assert entry.words == "Copy the command for the report as csv"
        assert entry.detail == "sandbox-tui eval report evalu -f csv"
        await pilot.press("enter")
        command = f"sandbox-tui eval report {EVAL_ID} -f csv"
        await until(pilot, lambda: app.clipboard == command)
        assert f"Copied {command}." in [toast.message for toast in app._notifications]


async def test_each_format_is_found_also_on_the_row_of_an_evaluation(
    app: SandboxTui, store: Store
) -> None:
    enter_eval(store, time.time())
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: getattr(app.screen, "evaluation_here", None))
        for form in ("markdown", "json", "cells"):
            entry = await first_of(app, pilot, form)
            assert entry.words == f"Copy the command for the report as {form}"
        assert (await first_of(app, pilot, "copy id")).words == "Copy the evaluation's id"


async def test_a_new_evaluation_is_started_over_the_list_of_all(
    app: SandboxTui, store: Store
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await on_evaluation(app, pilot, store)
        entry = await first_of(app, pilot, "new eval")
        assert entry.words == "Start a new evaluation"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, NewEvalDialog))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, EvalScreen))


async def test_a_suite_is_found_and_the_form_opens_with_it(app: SandboxTui, store: Store) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await on_evaluation(app, pilot, store)
        await first_of(app, pilot, "new evaluation")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, NewEvalDialog) and app.screen.is_filled)
        app.screen.query_one("#samples", Input).value = "3"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        entry = await first_of(app, pilot, "chemist")
        assert entry.words == "Start a new evaluation of chemistry"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, NewEvalDialog) and app.screen.is_filled)
        assert isinstance(app.screen, NewEvalDialog)
        typed = app.screen.typed()
        assert (typed["suite"], typed["samples"]) == ("chemistry", "3")


async def test_an_evaluation_is_run_again_over_the_list_of_all(
    app: SandboxTui, store: Store
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await on_evaluation(app, pilot, store)
        screen = app.screen
        assert isinstance(screen, EvalScreen)
        why = screen.why_unavailable("run_again", ())
        assert why == "in the list of evaluations (home: e)"
        entry = await first_of(app, pilot, "retry")
        assert entry.words == "Run the evaluation again"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, NewEvalDialog))


async def test_the_key_opens_the_form_over_the_list_of_all(app: SandboxTui, store: Store) -> None:
    found = enter_eval(store, time.time())
    async with app.run_test(size=(100, 30)) as pilot:
        registry = EvalRegistry(RunRegistry(store))
        EvalOpener(app.screen, registry, app.settings).open(found)
        await until(pilot, lambda: isinstance(app.screen, EvalScreen))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, NewEvalDialog))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, EvalScreen))
