"""A notice leaves the screen as soon as what it says is no longer true."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from textual.pilot import Pilot

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from tests.screens.cockpit.test_approving import controls
from tests.snapshots.sample_run import sample_run
from tests.snapshots.watched_run import WatchedRun
from tests.waiting import until

ASKED = e.ModelAsked(t=1.0, step=1, digest="", messages=1)


def notices(app: SandboxTui) -> list[str]:
    return [toast.message for toast in shown_toasts(app)]


@asynccontextmanager
async def asked(
    tmp_path: Path,
) -> AsyncIterator[tuple[SandboxTui, Pilot[int], LiveScreen, WatchedRun]]:
    """Show a run whose model has been asked."""
    store = Store(tmp_path / "s.db")
    app, watched = SandboxTui(load(), store), WatchedRun([sample_run()[0], ASKED])
    watched.run = controls([])
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.reply is not None)
        yield app, pilot, screen, watched


async def test_nothing_is_queued_until_a_message_is(tmp_path: Path) -> None:
    async with asked(tmp_path) as (app, pilot, screen, _):
        await pilot.press("u")
        await until(pilot, lambda: notices(app) == ["Nothing is queued for the model."])
        await screen.apply(e.HumanMessage(id=1, text="sent, but not yet recorded when u came"))
        screen.sync_bars()
        assert not notices(app)


async def test_the_model_is_asked_again_until_it_fails_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    failed = e.ModelFailed(t=2.0, step=1, error="busy", attempt=1, retry_in=60.0)
    app, watched = SandboxTui(load(), store), WatchedRun([sample_run()[0], ASKED, failed])
    watched.run = controls([])
    cast(Any, watched.run).interrupt_reply = lambda: True
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.reply is not None)
        screen.sync_bars()
        outcomes: list[tuple[float, e.AnyEvent]] = [
            (4.0, e.ModelFailed(t=4.0, step=1, error="busy", attempt=2, retry_in=60.0)),
            (6.0, e.ModelDelta(t=6.0, step=1, channel="text", text="Now")),
        ]
        for at, outcome in outcomes:
            await pilot.press("R")
            await until(pilot, lambda: notices(app) == ["Asking the model again now."])
            again = e.ModelAsked(t=at - 1, step=1, digest="", messages=1)
            for event in (again, outcome):
                await screen.apply(event)
            screen.sync_bars()
            await until(pilot, lambda: not notices(app))


async def test_control_is_not_offered_back_after_the_end(tmp_path: Path) -> None:
    async with asked(tmp_path) as (app, pilot, screen, watched):
        screen.sync_bars()
        watched.steers, watched.audience = False, "2 watch"
        screen.sync_bars()
        taken = "Another terminal has taken control; T takes it back."
        await until(pilot, lambda: notices(app) == [taken])
        await screen.apply(e.RunFinished(t=2.0, reason="cancelled", error=None, totals=e.Totals()))
        screen.sync_bars()
        assert not notices(app)


async def test_lost_control_is_not_said_on_another_screen(tmp_path: Path) -> None:
    async with asked(tmp_path) as (app, pilot, screen, watched):
        screen.sync_bars()
        watched.steers, watched.audience = False, "2 watch"
        screen.sync_bars()
        await until(pilot, lambda: bool(notices(app)))
        app.pop_screen()  # there, its key does something else
        await pilot.pause()
        assert not notices(app)


async def test_lost_control_is_no_longer_said_once_it_is_back(tmp_path: Path) -> None:
    async with asked(tmp_path) as (app, pilot, screen, watched):
        watched.audience, watched.steers = "watching", False
        screen.sync_bars()
        lost = "Another terminal has taken control; T takes it back."
        await until(pilot, lambda: notices(app) == [lost])
        watched.steers = True
        screen.sync_bars()
        assert not notices(app)
