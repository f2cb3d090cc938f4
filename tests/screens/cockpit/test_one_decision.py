"""A waiting call is decided once, and deciding from its full view closes that view alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest
from textual.containers import VerticalScroll
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import TextArea

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.policy.rules import Policy
from sandbox_tui.core.policy.session_rules import OpenPart, open_parts
from sandbox_tui.core.run.human.run_controls import Controls
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.approving.whole_call import WholeCallScreen
from sandbox_tui.tui.screens.dialogs.edit_call import EditCallDialog
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.calls.approval_bar import ApprovalBar
from tests.screens.cockpit.test_approving import BASH, controls, live, waiting
from tests.waiting import until

DECIDING = "aYerAS"
"""The keys that decide on a call, or open a dialog that does."""

FINISHING = {"Y": ["enter"], "e": ["ctrl+s"], "r": ["n", "enter"], "A": ["n", "enter"]}
"""The keys that decide in the dialog of a key."""


class OpenGate:
    """The gate of a run whose calls have a pattern to allow."""

    mode = resume_mode = "step"

    def open_parts(self) -> Sequence[OpenPart]:
        return open_parts(Policy(), BASH, '{"command": "x"}')


def deciding(decisions: list[tuple[Any, ...]]) -> Controls:
    run = controls(decisions)
    cast(Any, run).gate = OpenGate()
    return run


async def burst(pilot: Pilot[int], keys: str) -> None:
    """Press keys that arrive at once, as over a slow line."""
    for key in keys:
        pilot.app.post_message(Key(key, key))
    for _ in range(3):
        await pilot.pause()


async def test_no_two_keys_in_the_full_view_close_more_than_it(tmp_path: Path) -> None:
    decisions: list[tuple[Any, ...]] = []
    run = deciding(decisions)
    async with live(tmp_path, waiting(BASH, command="x"), run) as (app, pilot, screen):
        below = list(app.screen_stack)
        for number, keys in enumerate(product("ae", DECIDING), 2):
            await screen.apply(e.CallDecided(call=number - 1, verdict="approve", by="human"))
            await screen.apply(e.CallFinished(call=number - 1, observation="", ok=True))
            call = e.ToolCall(number=number, step=1, id="c", name=BASH, arguments='{"command":"x"}')
            await screen.apply(e.CallProposed(call=call))
            await screen.apply(e.CallHeld(call=number))
            decisions.clear()
            await burst(pilot, "W" + "".join(keys))
            assert len(decisions) <= 1, keys
            if decisions:
                await screen.apply(e.CallDecided(call=number, verdict="approve", by="human"))
            while len(app.screen_stack) > len(below):
                await pilot.press("escape")
            assert app.screen_stack == below, keys


@pytest.mark.parametrize("opening", "YerA")
async def test_a_decision_in_a_dialog_over_the_full_view_closes_both(
    tmp_path: Path, opening: str
) -> None:
    decisions: list[tuple[Any, ...]] = []
    run = deciding(decisions)
    async with live(tmp_path, waiting(BASH, command="x"), run) as (app, pilot, screen):
        below = list(app.screen_stack)
        await burst(pilot, "W" + opening)
        await pilot.press(*FINISHING[opening])
        await until(pilot, lambda: decisions)
        await burst(pilot, "Se")  # the event of the decision has not arrived yet
        assert len(decisions) == 1
        await screen.apply(e.CallDecided(call=1, verdict="approve", by="human"))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen_stack == below)


async def test_a_second_decision_is_refused_with_the_reason(tmp_path: Path) -> None:
    decisions: list[tuple[Any, ...]] = []
    run = deciding(decisions)
    async with live(tmp_path, waiting(BASH, command="x"), run) as (app, pilot, screen):
        await burst(pilot, "ae")
        assert app.screen is screen
        assert decisions == [("approve", 1)]
        await until(pilot, lambda: shown_toasts(app))
        assert "You have decided on this call" in str(next(iter(shown_toasts(app))).message)


async def test_the_edit_form_says_at_once_that_another_terminal_decided(tmp_path: Path) -> None:
    decisions: list[tuple[Any, ...]] = []
    run = deciding(decisions)
    async with live(tmp_path, waiting(BASH, command="x"), run) as (app, pilot, screen):
        await burst(pilot, "We")
        form = app.screen
        assert isinstance(form, EditCallDialog)
        await pilot.press("y")
        box = form.query_one(VerticalScroll)
        await screen.apply(e.CallDecided(call=1, verdict="reject", by="human"))
        words = "another terminal rejected this call · esc close"
        await until(pilot, lambda: str(box.border_subtitle) == words)
        await pilot.press("z", "ctrl+s")
        await until(pilot, lambda: shown_toasts(app))
        assert app.screen is form, "what was typed can still be read and copied"
        assert form.query_one(TextArea).text == "xyz"
        assert str(box.border_subtitle) == words
        assert not decisions
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, WholeCallScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)


async def test_a_screen_closes_itself_and_only_once(tmp_path: Path) -> None:
    app = SandboxTui(load(), Store(tmp_path / "s.db"))
    async with app.run_test() as pilot:
        below = list(app.screen_stack)
        lower, upper = PagerScreen("lower", "x"), PagerScreen("upper", "x")
        await app.push_screen(lower)
        await app.push_screen(upper)
        lower.dismiss(None)
        assert app.screen is upper
        upper.dismiss(None)
        upper.dismiss(None)
        await until(pilot, lambda: app.screen_stack == below)
        lower.dismiss(None)
        await pilot.pause()
        assert app.screen_stack == below


async def test_the_program_ends_when_its_last_screen_closes(tmp_path: Path) -> None:
    app = SandboxTui(load(), Store(tmp_path / "s.db"))
    async with app.run_test() as pilot:
        app.pop_screen()
        await until(pilot, lambda: app.shutdown.has_begun)


@pytest.mark.parametrize("size", [(60, 20), (160, 45)])
async def test_no_key_stands_beside_a_call_that_is_decided(
    size: tuple[int, int], tmp_path: Path
) -> None:
    events = waiting(BASH, command="x")
    async with live(tmp_path, events, deciding([]), size) as (_, pilot, screen):
        bar = screen.query_one(ApprovalBar)
        await until(pilot, lambda: "a approve" in bar.render().plain)
        await pilot.press("a")
        decided = "you have decided on this call"
        await until(pilot, lambda: bar.render().plain.split("\n")[-1].strip() == decided)
