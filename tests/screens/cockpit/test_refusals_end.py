"""Why a key did nothing is said only as long as it is true."""

from __future__ import annotations

from pathlib import Path

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_phase import Phase
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.interrupted import InterruptedDialog
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.live.steering import RunSteering
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.status_bar import StatusBar
from tests.screens.cockpit.test_approving import BASH, controls, waiting
from tests.screens.cockpit.test_covered_screen import KilledRun
from tests.screens.cockpit.test_outdated_notices import asked, notices
from tests.waiting import until

END = e.RunFinished(t=2.0, reason="submitted", error=None, totals=e.Totals())
NO_CALL = ["No call is waiting."]


async def apply(screen: LiveScreen, *events: e.AnyEvent) -> None:
    for event in events:
        await screen.apply(event)
    screen.sync_bars()


def bar(screen: LiveScreen) -> list[str]:
    return [known.key for known in screen.query_one(KeyBar).keys_shown]


async def test_no_call_waits_until_one_does(tmp_path: Path) -> None:
    async with asked(tmp_path) as (app, pilot, screen, _):
        await pilot.press("a")
        await until(pilot, lambda: notices(app) == NO_CALL)
        await apply(screen, *waiting(BASH, command="ls")[1:])
        assert screen.state.pending is not None
        await until(pilot, lambda: not notices(app))


async def test_no_call_waits_until_the_run_ends(tmp_path: Path) -> None:
    async with asked(tmp_path) as (app, pilot, screen, _):
        await pilot.press("a")
        await until(pilot, lambda: notices(app) == NO_CALL)
        await apply(screen, END)
        await until(pilot, lambda: not notices(app))


async def test_a_refusal_that_is_still_true_stays(tmp_path: Path) -> None:
    async with asked(tmp_path) as (app, pilot, screen, _):
        await pilot.press("a")
        await until(pilot, lambda: notices(app) == NO_CALL)
        await apply(screen, e.ModeChanged(mode="paused"))
        assert notices(app) == NO_CALL


async def test_another_terminal_is_in_control_until_this_one_is(tmp_path: Path) -> None:
    async with asked(tmp_path) as (app, pilot, screen, watched):
        watched.steers, watched.audience = False, "watching"
        await pilot.press("space")
        said = "Another terminal is in control; T takes control."
        await until(pilot, lambda: said in notices(app))
        watched.steers, watched.audience = True, ""
        screen.sync_bars()
        await until(pilot, lambda: said not in notices(app))


async def test_a_run_is_ending_until_it_has_ended(tmp_path: Path) -> None:
    async with asked(tmp_path) as (app, pilot, screen, watched):
        assert watched.run is not None
        watched.run.phase, watched.run.steerable = Phase.FINISHING, False  # pyright: ignore[reportAttributeAccessIssue]
        screen.sync_bars()
        await until(pilot, lambda: "x" not in bar(screen))
        await pilot.press("x")
        await until(pilot, lambda: notices(app) == ["This run is ending."])
        await apply(screen, END)
        await until(pilot, lambda: not notices(app))


async def test_a_refusal_after_a_dialog_ends_too(tmp_path: Path) -> None:
    async with asked(tmp_path) as (app, pilot, screen, watched):
        assert watched.run is not None
        watched.run.phase, watched.run.steerable = Phase.FINISHING, False  # pyright: ignore[reportAttributeAccessIssue]
        assert RunSteering(screen, watched, screen.state).steerable_run() is None
        await until(pilot, lambda: notices(app) == ["This run is ending."])
        await apply(screen, END)
        await until(pilot, lambda: not notices(app))


async def test_the_keys_change_together_with_the_header(tmp_path: Path) -> None:
    async with asked(tmp_path) as (_, _pilot, screen, _watched):
        told: list[str] = []

        def keys_updated(_: object) -> None:
            told.append("keys")

        def header_updated(*_: object) -> None:
            told.append("header")

        screen.query_one(StatusBar).sync = header_updated
        screen.bindings_updated_signal.subscribe(screen, keys_updated, immediate=True)  # pyright: ignore[reportUnknownMemberType]
        await apply(screen, END)
        assert told[0] == "header"
        assert "keys" in told


async def test_a_call_of_a_run_whose_program_has_exited_does_not_wait(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    app, watched = SandboxTui(load(), store), KilledRun(waiting(BASH, command="ls"))
    watched.run = controls([])
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: isinstance(app.screen, InterruptedDialog))
        screen.refresh_now()
        await pilot.pause()
        assert screen.state.pending is not None
        await until(pilot, lambda: not notices(app))
