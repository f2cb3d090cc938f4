"""Keys of a live run that would change nothing are not in the bar; the help says why."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.available_actions import available_actions
from sandbox_tui.tui.screens.cockpit.live.approving.allowed_rules import AllowedRulesDialog
from sandbox_tui.tui.screens.cockpit.live.approving.approve_always import ApproveAlwaysDialog
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.live.steering import RunSteering
from sandbox_tui.tui.screens.wall.steering.controlled_runs import why_not_here
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from tests.screens.cockpit.test_approving import BASH, controls, live, waiting
from tests.snapshots.sample_run import sample_run
from tests.snapshots.test_looks import ended
from tests.unit.sample_run import keep, sample
from tests.waiting import until

END = ended("20260101-100000-first", "submitted", 60, "Find it")[-1]
GRANTED = e.RuleGranted(tool=BASH, pattern="ls *")


def bar(screen: LiveScreen | AllowedRulesDialog) -> list[str]:
    return [known.key for known in screen.query_one(KeyBar).keys_shown]


async def test_in_mode_step_the_key_that_steps_is_off_while_a_call_waits(tmp_path: Path) -> None:
    begun, *others = waiting(BASH, command="ls")
    events = [begun, e.ModeChanged(mode="step"), *others]
    async with live(tmp_path, events, controls([])) as (app, pilot, screen):
        await until(pilot, lambda: screen.state.pending is not None)
        reason = "call 1 still waits for your decision"
        off = {action.name: action.off for action in available_actions(screen)}
        assert off["live.step"] == reason
        assert "s" not in bar(screen)
        await pilot.press("s")
        await until(pilot, lambda: bool(shown_toasts(app)))
        assert [toast.message for toast in shown_toasts(app)] == [f"C{reason[1:]}."]


async def test_outside_of_mode_step_the_key_switches_to_it(tmp_path: Path) -> None:
    async with live(tmp_path, waiting(BASH, command="ls"), controls([])) as (_, pilot, screen):
        await until(pilot, lambda: screen.state.pending is not None)
        off = {action.name: action.off for action in available_actions(screen)}
        assert not off["live.step"]


async def test_after_the_end_what_was_allowed_can_only_be_read(tmp_path: Path) -> None:
    async with live(tmp_path, [sample_run()[0], GRANTED], controls([])) as (app, pilot, screen):
        screen.state.apply(END)
        await pilot.press("L")
        await until(pilot, lambda: isinstance(app.screen, AllowedRulesDialog))
        dialog = app.screen
        assert isinstance(dialog, AllowedRulesDialog)
        await until(pilot, lambda: bar(dialog)[:1] == ["esc"])
        assert "no longer allow" not in str(dialog.query_one("#allowed").border_subtitle)
        off = {action.name: action.off for action in available_actions(dialog)}
        assert off["allowed.remove"] == "this run has ended"


async def test_after_the_end_the_key_says_that_nothing_was_allowed(tmp_path: Path) -> None:
    events = waiting(BASH, command="ls")
    async with live(tmp_path, events, controls([])) as (app, pilot, screen):
        screen.state.apply(END)
        await pilot.press("L")
        await until(pilot, lambda: bool(shown_toasts(app)))
        assert shown_toasts(app)[-1].message == "Nothing was allowed in this run."


@pytest.mark.parametrize(
    ("runs", "why"),
    [
        (None, "only the wall does this, for several runs of one task"),
        (1, "no other active run has this task"),
        (2, ""),
    ],
)
def test_what_was_allowed_can_be_allowed_in_other_runs_of_the_task(
    runs: int | None, why: str
) -> None:
    call = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments="{}")
    assert ApproveAlwaysDialog(call, [], runs).why_unavailable("group", ()) == why


async def test_a_run_whose_connection_was_lost_can_be_neither_steered_nor_taken(
    tmp_path: Path,
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("words"))
        client = RunClient(store.run("r"), store)
        app = SandboxTui(load(), store)
        async with app.run_test(size=(100, 30)):
            steering = RunSteering(app.screen, client, RunState())
            assert not steering.why_unavailable("steer")
            client.failure = SandboxTuiError("The connection to the run was lost.")
            client.ended.set()
            reason = "the connection to the run's program has ended"
            for action in ("steer", "pause", "message", "end", "interrupt"):
                assert steering.why_unavailable(action) == reason
            assert steering.steerable_run() is None
            tile = RunTile(client, 1)
            assert why_not_here("steer", tile, [tile]) == reason
            assert why_not_here("pause", tile, [tile]) == reason
