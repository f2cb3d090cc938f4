"""A command that waits for input: the key that leads to its terminal; and control of the run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
from textual.pilot import Pilot
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.available_actions import available_actions
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.dialogs.edit_call import EditCallDialog
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.calls.approval_bar import ApprovalBar
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from tests.screens.cockpit.test_approving import BASH, controls, waiting
from tests.snapshots.sample_run import sample_run
from tests.snapshots.watched_run import WatchedRun
from tests.waiting import until


def prompting(*, answerable: bool) -> Sequence[e.AnyEvent]:
    """A run whose first call waits for input in the terminal."""
    call = e.ToolCall(number=1, step=1, id="c", name=BASH, arguments='{"command": "read name"}')
    return [
        sample_run()[0],
        e.CallProposed(call=call),
        e.CallStarted(call=1),
        e.InputAwaited(program="bash", answerable=answerable),
    ]


async def shown(pilot: Pilot[int], run: WatchedRun, store: Store) -> LiveScreen:
    screen = LiveScreen(run, store)
    await pilot.app.push_screen(screen)
    await until(pilot, lambda: screen.state.started is not None)
    return screen


def bar(screen: Any) -> list[str]:
    keys = screen.query_one(KeyBar).keys_shown
    return [f"{one.key} {one.words}" for one in keys]


def helped(screen: Any) -> list[str]:
    return [one.words for one in available_actions(screen) if one.keys and one.keys[0] == "2"]


async def test_the_key_that_answers_a_prompt_comes_first_until_the_terminal_has_the_focus(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    run = WatchedRun(prompting(answerable=True))
    run.run = controls([])
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        screen = await shown(pilot, run, store)
        async with asyncio.timeout(20):
            await until(pilot, lambda: bar(screen)[0] == "2 answer prompt")
        assert helped(screen) == ["Answer prompt"]
        await pilot.press("2")
        async with asyncio.timeout(20):
            await until(pilot, lambda: screen.focused is screen.query_one(TerminalPane).view)
            await until(pilot, lambda: bar(screen)[0] == "enter answer prompt")
            await until(pilot, lambda: "esc calls" in bar(screen))
            border = screen.query_one(TerminalPane)
            await until(pilot, lambda: "answers · esc calls" in str(border.border_subtitle))
        assert helped(screen) == ["Terminal"]
        await pilot.press("escape")
        async with asyncio.timeout(20):
            await until(pilot, lambda: bar(screen)[0] == "2 answer prompt")
            await until(pilot, lambda: "esc interrupt" in bar(screen))


async def test_without_a_terminal_to_type_in_and_in_a_replay_there_is_no_such_key(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    run = WatchedRun(prompting(answerable=False))
    run.run = controls([])
    async with app.run_test(size=(160, 45)) as pilot:
        screen = await shown(pilot, run, store)
        async with asyncio.timeout(20):
            await until(pilot, lambda: screen.state.awaited is not None)
        assert not [one for one in bar(screen) if one.startswith("2 ")]
        events = [
            msgspec.structs.replace(event, seq=number)
            for number, event in enumerate(prompting(answerable=True), 1)
        ]
        store.append("kept", events)
        replay = ReplayScreen(store.run("kept"), store)
        await app.push_screen(replay)
        async with asyncio.timeout(20):
            await until(pilot, lambda: replay.state.awaited is not None)
        assert not [one for one in bar(replay) if one.startswith("2 ")]
        assert helped(replay) == ["Terminal"]


async def test_taking_control_removes_the_notice_about_another_terminal(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    run = WatchedRun(waiting(BASH, command="make"))
    run.run, run.steers = controls([]), False
    taken: list[bool] = []

    def take_over() -> None:
        run.steers = True
        taken.append(True)

    cast(Any, run).take_over = take_over
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        screen = await shown(pilot, run, store)
        async with asyncio.timeout(20):
            await until(pilot, lambda: screen.state.pending is not None)
            card = str(screen.query_one(ApprovalBar).render())
            assert card.split("\n")[0].endswith("W full call")
            assert card.split("\n")[-1].strip() == "T take control", "no key that does nothing"
            line = screen.query_one(InjectBar).query_one(Input)
            assert line.placeholder == "another terminal is in control; T takes control"
            await pilot.press("a")
            await until(
                pilot, lambda: any("in control" in one.message for one in shown_toasts(app))
            )
            app.notify("Something else.", timeout=60)
            await until(pilot, lambda: len(shown_toasts(app)) == 2)
            await pilot.press("T")
            await until(pilot, lambda: bool(taken))
        assert [one.message for one in shown_toasts(app)] == ["Something else."]


async def test_the_edit_dialog_is_as_high_as_its_text(tmp_path: Path) -> None:
    app = SandboxTui(load(), Store(tmp_path / "s.db"))
    heights: list[int] = []
    async with app.run_test(size=(160, 45)) as pilot:
        for lines in (1, 20, 200):
            command = "\n".join(["make all"] * lines)
            arguments = json.dumps({"command": command})
            dialog = EditCallDialog(
                e.ToolCall(number=1, step=1, id="c", name=BASH, arguments=arguments)
            )
            await app.push_screen(dialog)
            box = dialog.query_one(".dialog")
            async with asyncio.timeout(20):
                await until(pilot, lambda box=box: box.outer_size.height > 0)
                await pilot.pause()
                await pilot.pause()
            heights.append(box.outer_size.height)
            await app.pop_screen()
    one, some, many = heights
    assert one <= 10
    assert 20 < some < 30
    assert many == 45 * 80 // 100
