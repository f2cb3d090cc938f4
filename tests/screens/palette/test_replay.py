"""The palette in a replay: places to go to, and the session's id."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.dialogs.describe_fork import ForkDialog
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from tests.perf.made_sessions import fill
from tests.screens.palette.test_evaluations import first_of
from tests.waiting import until


@pytest.fixture
def app(store: Store, own_home: Path) -> SandboxTui:
    fill(store, "r", 5)
    return SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)


async def replayed(app: SandboxTui, pilot: Pilot[int], store: Store) -> ReplayScreen:
    screen = ReplayScreen(store.run("r"), store, playing=False)
    await app.push_screen(screen)
    await until(pilot, lambda: screen.is_settled)
    return screen


@pytest.mark.parametrize("typed", ["step 3", "3", "go to step 3", "goto 3", "Step3"])
async def test_a_step_is_gone_to(app: SandboxTui, store: Store, typed: str) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await replayed(app, pilot, store)
        entry = await first_of(app, pilot, typed)
        assert entry.words == "Go to step 3"
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and screen.state.step == 3)


async def test_a_call_is_gone_to(app: SandboxTui, store: Store) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await replayed(app, pilot, store)
        entry = await first_of(app, pilot, "call 2")
        assert entry.words == "Go to call 2"
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and len(screen.state.calls) == 2)
        assert screen.state.calls[2].finished is not None


async def test_a_step_that_does_not_exist_says_how_many_there_are(
    app: SandboxTui, store: Store
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await replayed(app, pilot, store)
        await first_of(app, pilot, "step 1")
        app.screen.query_one("LineInput").value = "step 99"  # type: ignore[attr-defined]
        await pilot.pause()
        first = app.screen.query_one(EntryList).first
        assert first is not None
        assert (first.words, first.off) == ("Go to step 99", f"the last step is {screen.steps}")


async def test_the_id_of_the_session_is_copied(app: SandboxTui, store: Store) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await replayed(app, pilot, store)
        entry = await first_of(app, pilot, "copy id")
        assert (entry.words, entry.off) == ("Copy the session's id", "")
        await pilot.press("enter")
        await until(pilot, lambda: app.clipboard == "r")


@pytest.mark.parametrize("typed", ["setp 3", "stp 3", "jump to 3", "jmup to 3"])
async def test_a_mistyped_step_is_gone_to(app: SandboxTui, store: Store, typed: str) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await replayed(app, pilot, store)
        assert (await first_of(app, pilot, typed)).words == "Go to step 3"


@pytest.mark.parametrize("typed", ["{}", "go to {}", "time {}", "50%"])
async def test_a_moment_is_gone_to(app: SandboxTui, store: Store, typed: str) -> None:
    half = clock(store.run("r").seconds / 2)
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await replayed(app, pilot, store)
        await pilot.press("$")
        await until(pilot, lambda: screen.is_settled and screen.state.finished)
        entry = await first_of(app, pilot, typed.format(half))
        assert entry.words == f"Go to {half if '{' in typed else typed}"
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and screen.state.finished is None)
        await until(pilot, lambda: screen.is_settled)
        assert 0 < screen.state.step < screen.steps


async def test_a_moment_after_the_end_says_when_that_is(app: SandboxTui, store: Store) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await replayed(app, pilot, store)
        await first_of(app, pilot, "50%")
        app.screen.query_one(Input).value = "99:59"
        await pilot.pause()
        first = app.screen.query_one(EntryList).first
        assert first is not None
        end = clock(store.run("r").seconds)
        assert (first.words, first.off) == ("Go to 99:59", f"the session ends at {end}")


@pytest.mark.parametrize("typed", ["fork step 3", "fork at step 3", "fork after 3", "Fork 3"])
async def test_a_session_is_forked_after_a_step(app: SandboxTui, store: Store, typed: str) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await replayed(app, pilot, store)
        entry = await first_of(app, pilot, typed)
        assert (entry.words, entry.off) == ("Fork after step 3", "")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ForkDialog))
        await pilot.pause()
        assert "After step 3 of r" in str(app.screen.query_one("#where", Static).render())


async def test_a_session_is_forked_after_its_last_step(app: SandboxTui, store: Store) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await replayed(app, pilot, store)
        await first_of(app, pilot, f"fork {screen.steps}")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ForkDialog))
        await pilot.pause()
        where = str(app.screen.query_one("#where", Static).render())
        assert f"After step {screen.steps} of r" in where
