"""A run whose program was killed, and that another program resumes while this screen shows it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static
from typing_extensions import override

from sandbox_tui.core.base.errors import RunsElsewhere, SandboxTuiError, StoreError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.run_worker import ProgramExited
from sandbox_tui.sessions.remote import recorded_run
from sandbox_tui.sessions.remote.followed_run import FollowedRun
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live import interrupted
from sandbox_tui.tui.screens.cockpit.live.interrupted import InterruptedDialog
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar
from tests.snapshots.watched_run import WatchedRun
from tests.unit.event_streams import started
from tests.waiting import until

NOBODY = ProcessIdentity.no_process()

WATCHED = "Another terminal has resumed this run; you can watch it here and steer it there."


class FailedRun(WatchedRun):
    """A run that a screen cannot go on watching as soon as it shows it."""

    why: SandboxTuiError

    @override
    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        for event in self._events:
            yield event
        self.failure = self.why
        self.ended.set()


class KilledRun(FailedRun):
    """A run whose program is killed."""

    why = ProgramExited("The program running this session has exited.")


class TakenRun(FailedRun):
    """A run that another program claims while this one does."""

    why = RunsElsewhere("Another program is running this session.")


@asynccontextmanager
async def showing(
    tmp_path: Path, kind: type[WatchedRun], owner: ProcessIdentity
) -> AsyncIterator[tuple[SandboxTui, Pilot[int], Store]]:
    """Show a run that `attach` was started for, whose program is gone."""
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        first = started(started_at=time.time())
        store.append("r", [first])
        store.set_owner("r", owner)
        app = SandboxTui(load(), store)
        run = kind([first])
        app._begun = [run]
        app._show_first = lambda: app._show_live(run)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            yield app, pilot, store


def resume(store: Store) -> None:
    """Resume the run, as another program does: it is none of this app's."""
    store.set_owner("r", ProcessIdentity.this_process())
    store.append("r", [e.Warned(seq=2, t=1.0, text="resumed")])


def followed(app: SandboxTui) -> FollowedRun | None:
    """Return the run that is watched by its record, if the screen shows one."""
    worker = app.screen.worker if isinstance(app.screen, LiveScreen) else None
    return worker if isinstance(worker, FollowedRun) else None


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_run, "POLL_SECONDS", 0.01)


async def test_resume_watches_a_run_that_another_terminal_has_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InterruptedDialog, "_look", lambda _: None)  # the key is first
    async with showing(tmp_path, KilledRun, NOBODY) as (app, pilot, store):
        await until(pilot, lambda: isinstance(app.screen, InterruptedDialog))
        resume(store)
        await pilot.press("r")
        await until(pilot, lambda: followed(app))
        await until(pilot, lambda: WATCHED in [toast.message for toast in shown_toasts(app)])
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        await until(pilot, lambda: screen.state.seq == 2)
        assert "watching" in str(screen.query_one("StatusBar").prefix)
        await pilot.press("p", "x", "i")
        await until(
            pilot,
            lambda: any("here it can only be watched" in t.message for t in shown_toasts(app)),
        )
        store.append("r", [e.Warned(seq=3, t=2.0, text="more")])
        await until(pilot, lambda: screen.state.seq == 3)
        assert not app.failures
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running or app._exit)
    assert app.return_code == 0
    assert not app.failures


async def test_the_dialog_notices_that_another_terminal_resumes_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interrupted, "POLL_SECONDS", 0.01)
    async with showing(tmp_path, KilledRun, NOBODY) as (app, pilot, store):
        await until(pilot, lambda: isinstance(app.screen, InterruptedDialog))
        resume(store)
        await until(pilot, lambda: followed(app))
        store.set_owner("r", NOBODY)  # killed, too
        await until(pilot, lambda: isinstance(app.screen, InterruptedDialog))


async def test_a_run_that_ended_elsewhere_is_shown_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InterruptedDialog, "_look", lambda _: None)
    async with showing(tmp_path, KilledRun, NOBODY) as (app, pilot, store):
        await until(pilot, lambda: isinstance(app.screen, InterruptedDialog))
        store.append(
            "r", [e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())]
        )
        await pilot.press("r")
        await until(pilot, lambda: followed(app))
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        await until(pilot, lambda: screen.state.finished is not None)
        words = "Another terminal had resumed this run; it has ended (submitted)."
        assert words in [toast.message for toast in shown_toasts(app)]


async def test_a_run_that_another_program_claims_first_is_watched(tmp_path: Path) -> None:
    async with showing(tmp_path, TakenRun, ProcessIdentity.this_process()) as (app, pilot, _):
        await until(pilot, lambda: (run := followed(app)) and run.state.started)


async def test_a_refusal_is_said_and_the_run_stays_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with showing(tmp_path, KilledRun, NOBODY) as (app, pilot, store):
        await until(pilot, lambda: isinstance(app.screen, InterruptedDialog))
        first = app.screen

        def locked(*_: object, **__: object) -> None:
            raise StoreError("The database is locked.")

        monkeypatch.setattr(store, "run", locked)
        await pilot.press("r")
        await until(
            pilot,
            lambda: app.screen is not first and isinstance(app.screen, InterruptedDialog),
        )
        words = [str(line.render()) for line in app.screen.query(Static)]
        assert any("The database is locked." in line for line in words)
        assert app.screen_stack[-2].query(InjectBar)
