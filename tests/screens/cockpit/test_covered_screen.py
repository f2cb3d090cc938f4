"""A live run while a dialog covers its screen: a call begins to wait, or the run's program ends."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxNotLeft
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.run_worker import ProgramExited
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.interrupted import InterruptedDialog
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.dialogs.describe_fork import ForkDialog
from sandbox_tui.tui.screens.dialogs.edit_call import EditCallDialog
from sandbox_tui.tui.screens.dialogs.show_error import LostSandboxDialog
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar
from sandbox_tui.tui.widgets.status_bar import StatusBar
from tests.screens.cockpit.test_approving import controls
from tests.snapshots.sample_run import sample_run
from tests.snapshots.watched_run import WatchedRun
from tests.unit.sample_run import keep, sample
from tests.waiting import until

ARGUMENTS = json.dumps({"command": "sleep 9"})
CALL = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments=ARGUMENTS)


@asynccontextmanager
async def proposed(tmp_path: Path) -> AsyncIterator[tuple[SandboxTui, Pilot[int], LiveScreen]]:
    """Show a run whose model has proposed a call."""
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    watched = WatchedRun([sample_run()[0], e.CallProposed(call=CALL)])
    watched.run = controls([])
    async with app.run_test(size=(160, 45), notifications=True) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.open_calls)
        yield app, pilot, screen


async def test_a_dialog_says_that_a_call_waits_until_it_is_closed(tmp_path: Path) -> None:
    async with proposed(tmp_path) as (app, pilot, screen):
        await pilot.press("x")
        await until(pilot, lambda: app.screen is not screen)
        await screen.apply(e.CallHeld(call=1))
        await until(pilot, lambda: shown_toasts(app))
        assert [toast.message for toast in shown_toasts(app)] == ["Call 1 waits for you."]
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await until(pilot, lambda: not shown_toasts(app))


async def test_no_toast_speaks_of_the_call_that_a_dialog_shows(tmp_path: Path) -> None:
    async with proposed(tmp_path) as (app, pilot, screen):
        await screen.apply(e.CallHeld(call=1))
        screen.action_edit()  # sooner than the screen draws the waiting call
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await until(pilot, lambda: app.screen.focused is not None)
        screen.sync_bars()
        assert not shown_toasts(app)


class KilledRun(WatchedRun):
    """A run whose program is killed while a command runs."""

    @override
    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        for event in self._events:
            yield event
        self.failure = ProgramExited("The program of this run was killed.")


async def test_a_killed_program_interrupts_its_call_and_takes_no_more_lines(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    watched = KilledRun([sample_run()[0], e.CallProposed(call=CALL), e.CallStarted(call=1)])
    watched.run = controls([])
    async with app.run_test(size=(160, 45)) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: isinstance(app.screen, InterruptedDialog))
        calls = screen.query_one(Calls)

        def rows() -> str:
            return "\n".join(
                line.plain
                for block in range(calls.block_count())
                for line in calls.draw_block(block, 60)
            )

        await until(pilot, lambda: "◌ interrupted" in rows())
        assert "●" not in rows()
        field = screen.query_one(InjectBar).query_one(Input)
        assert field.disabled
        assert field.placeholder.startswith("The run's program is gone: r resumes it, ")


class LostRun(WatchedRun):
    """A run that cannot be resumed because its sandbox is gone."""

    @override
    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        for event in self._events:
            yield event
        self.failure = SandboxNotLeft("This session cannot be resumed.")


async def test_a_run_without_its_sandbox_is_forked_from_the_dialog_that_says_so(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    (*events, _), contents = sample()
    lost = LostRun(events)
    assert keep(store, events, contents) == lost.run_id
    store.give_up(lost.run_id)
    async with app.run_test(size=(160, 45)) as pilot:
        screen = LiveScreen(lost, store)
        await app.push_screen(screen)
        await until(pilot, lambda: isinstance(app.screen, LostSandboxDialog))
        assert "◌ interrupted" in screen.query_one(StatusBar).render_line(0).text
        assert screen.query_one(Calls).border_title != "calls 0"
        await pilot.press("F")
        await until(pilot, lambda: isinstance(app.screen, ForkDialog))
        assert screen.is_attached, "the form is shown over it"
        await pilot.press("escape")
        await until(pilot, lambda: not screen.is_attached)
