"""The palette where no home screen is open: new runs, evaluations and settings open all the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog
from sandbox_tui.tui.screens.palette.entry import Entry, Match
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from sandbox_tui.tui.screens.settings import SettingsScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.sessions.model_offers import Offer
from tests.perf.made_sessions import fill
from tests.screens.palette.test_evaluations import first_of
from tests.waiting import until


@pytest.fixture
def app(store: Store, own_home: Path) -> SandboxTui:
    fill(store, "r", 5)
    settings = load({"model.name": "m", "model.local_ports": [1]})
    return SandboxTui(settings, store, store.run("r"))


async def begun(app: SandboxTui, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
    assert not any(isinstance(screen, HomeScreen) for screen in app.screen_stack)


async def opened_form(app: SandboxTui, pilot: Pilot[int]) -> NewRunDialog:
    await first_of(app, pilot, "new run")
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, NewRunDialog))
    assert isinstance(app.screen, NewRunDialog)
    return app.screen


@pytest.mark.parametrize(
    ("typed", "screen"),
    [
        ("new run", NewRunDialog),
        ("new task", NewRunDialog),
        ("evaluations", EvalsScreen),
        ("preferences", SettingsScreen),
    ],
)
async def test_what_needs_no_session_opens(app: SandboxTui, typed: str, screen: type) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await begun(app, pilot)
        await first_of(app, pilot, typed)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, screen))


async def test_a_form_that_is_left_says_what_opens_it_again(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await begun(app, pilot)
        await opened_form(app, pilot)
        await pilot.press(*"Count")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        said = [toast.message for toast in shown_toasts(app)]
        assert said == ["Draft saved: “new run” in the palette opens it again."]
        form = await opened_form(app, pilot)
        await until(pilot, lambda: form.is_filled and form.typed()["task"] == "Count")


async def test_a_model_is_chosen_for_the_form_below_alone(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await begun(app, pilot)
        form = await opened_form(app, pilot)
        await until(pilot, lambda: form.is_filled)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, PaletteScreen) and app.screen.is_read)
        palette, offer = app.screen, Offer("other", "http://127.0.0.1:1/v1", "")
        assert isinstance(palette, PaletteScreen)
        choose = app._palette._choose_model
        palette.dismiss(Entry("Models", "other", "other", "", lambda: choose(offer)))
        await until(pilot, lambda: app.screen is form and form.typed()["model"] == "other")
        assert form.typed()["url"] == "http://127.0.0.1:1/v1"
        assert app.settings.now.model.name == "m"


@pytest.mark.parametrize(("typed", "label"), [("time limit", "Max time"), ("docker", "Sandbox")])
async def test_the_fields_of_a_form_come_before_the_settings(
    app: SandboxTui, typed: str, label: str
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await begun(app, pilot)
        form = await opened_form(app, pilot)
        await until(pilot, lambda: form.is_filled)
        assert (await first_of(app, pilot, typed)).words == f"{label} – field of this form"


async def test_a_new_run_is_started_over_the_list_of_evaluations(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await begun(app, pilot)
        await first_of(app, pilot, "all evaluations")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        assert (await first_of(app, pilot, "new run")).words == "New run"


@pytest.mark.parametrize("typed", ["new run", "evaluations", "new evaluation", "import"])
async def test_a_dialog_is_closed_first(app: SandboxTui, typed: str) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await begun(app, pilot)
        await first_of(app, pilot, "preferences")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, PaletteScreen) and app.screen.is_read)
        app.screen.query_one(Input).value = typed
        listed = app.screen.query_one(EntryList)
        await until(pilot, lambda: listed.first is not None and len(listed.rows) < 12)
        off = {row.entry.off for row in listed._rows if isinstance(row, Match)}
        assert "close the dialog first" in off


async def test_without_runs_there_is_nothing_side_by_side(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await begun(app, pilot)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, PaletteScreen) and app.screen.is_read)
        app.screen.query_one(Input).value = "side by side"
        listed = app.screen.query_one(EntryList)
        await until(pilot, lambda: listed.rows == ["Actions", "Runs side by side"])
        assert listed.first is not None
        assert listed.first.off == "no run was started here yet"
