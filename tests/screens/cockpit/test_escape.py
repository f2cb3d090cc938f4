"""What escape does in a live run: it closes what is open, and interrupts a command only after that."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from textual.events import Key
from textual.pilot import Pilot

from sandbox_tui.core.agent.approval_gate import Gate
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_phase import Phase
from sandbox_tui.core.policy.rules import Policy
from sandbox_tui.core.run.human.run_controls import Controls
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.calls.call_list import Calls
from tests.snapshots.sample_run import sample_run
from tests.snapshots.watched_run import WatchedRun
from tests.waiting import until


class Interrupted:
    """Counts how often the command was interrupted."""

    def __init__(self) -> None:
        self.times = 0

    async def interrupt(self) -> bool:
        self.times += 1
        return False


@asynccontextmanager
async def command_runs(
    tmp_path: Path,
) -> AsyncGenerator[tuple[SandboxTui, Pilot[int], Interrupted]]:
    """A live run whose first command is running."""
    arguments = json.dumps({"command": "sleep 9"})
    call = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments=arguments)
    store, interrupted = Store(tmp_path / "s.db"), Interrupted()
    watched = WatchedRun([sample_run()[0], e.CallProposed(call=call), e.CallStarted(call=1)])
    watched.run = cast(
        Controls,
        SimpleNamespace(
            interrupt=interrupted.interrupt,
            phase=Phase.RUNNING,
            steerable=True,
            over=False,
            files=None,
            gate=Gate(lambda event: event, Policy()),
            left_behind=(),
        ),
    )
    app = SandboxTui(load(), store)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.busy)
        yield app, pilot, interrupted


async def escape(app: SandboxTui, pilot: Pilot[int], at: float) -> None:
    """Press escape at a time in seconds."""
    key = Key("escape", None)
    key.time = at
    app.post_message(key)
    await pilot.pause()


async def test_escape_interrupts_at_once(tmp_path: Path) -> None:
    async with command_runs(tmp_path) as (app, pilot, interrupted):
        await escape(app, pilot, 100.0)
        await until(pilot, lambda: interrupted.times == 1)


async def test_escape_puts_a_toast_away_and_only_the_next_one_interrupts(tmp_path: Path) -> None:
    async with command_runs(tmp_path) as (app, pilot, interrupted):
        await pilot.press("L")
        await until(pilot, lambda: bool(shown_toasts(app)))
        await escape(app, pilot, 100.0)
        await until(pilot, lambda: not shown_toasts(app))
        await escape(app, pilot, 100.2)  # a key that was pressed twice
        assert not interrupted.times
        await escape(app, pilot, 100.6)
        await until(pilot, lambda: interrupted.times == 1)


async def test_a_toast_about_a_lasting_state_does_not_take_the_key(tmp_path: Path) -> None:
    async with command_runs(tmp_path) as (app, pilot, interrupted):
        app.notify("The disk is full.", timeout=86_400)
        await escape(app, pilot, 100.0)
        await until(pilot, lambda: interrupted.times == 1)
        assert shown_toasts(app)


async def test_an_escape_right_after_a_dialog_was_closed_is_no_interrupt(tmp_path: Path) -> None:
    async with command_runs(tmp_path) as (app, pilot, interrupted):
        live = app.screen
        await pilot.press("x")
        await until(pilot, lambda: app.screen is not live)
        await escape(app, pilot, 100.0)
        await until(pilot, lambda: app.screen is live)
        await escape(app, pilot, 100.4)
        assert not interrupted.times
        await escape(app, pilot, 100.6)
        await until(pilot, lambda: interrupted.times == 1)


async def test_an_escape_right_after_a_sent_line_is_no_interrupt(tmp_path: Path) -> None:
    """It was to leave the input line, which sending has closed."""
    async with command_runs(tmp_path) as (app, pilot, interrupted):
        assert isinstance(app.screen, LiveScreen)
        sent: list[str] = []
        cast(Any, app.screen.run).inject = lambda text, tell: sent.append(text)
        await pilot.press("i", *"ls", "enter")
        await until(pilot, lambda: sent == ["ls"])
        at = app._sent_at
        await escape(app, pilot, at + 0.9)
        await escape(app, pilot, at + 1.3)
        assert not interrupted.times
        await escape(app, pilot, at + 1.5)
        await until(pilot, lambda: interrupted.times == 1)


async def test_a_search_that_found_nothing_does_not_stay(tmp_path: Path) -> None:
    async with command_runs(tmp_path) as (app, pilot, _):
        calls = app.screen.query_one(Calls)
        await pilot.press("slash", *"nowhere", "enter")
        await until(pilot, lambda: app.focused is calls)
        assert [toast.message for toast in shown_toasts(app)] == [
            "No call, reply or message contains these words."
        ]
        await until(pilot, lambda: "no matches" not in str(calls.border_subtitle))
        await pilot.press("slash", *"sleep", "enter")
        await until(pilot, lambda: " found" in str(calls.border_subtitle))
