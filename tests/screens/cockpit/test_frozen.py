"""A run whose sandbox is frozen: no shell takes the keyboard, and esc says what it did."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.tui.keys.available_actions import available_actions
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.outdated_notices import interrupt_words
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from tests.screens.cockpit.test_escape import command_runs, escape
from tests.waiting import until


async def test_a_frozen_sandbox_takes_no_keyboard_and_says_how_to_resume_it(
    tmp_path: Path,
) -> None:
    async with command_runs(tmp_path) as (app, pilot, _):
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        screen.state.apply(e.SandboxFrozen(seq=4, t=1.0, by="human"))
        await pilot.press("t")
        reason = "the sandbox is frozen: space resumes it"
        said = [f"T{reason[1:]}."]
        await until(pilot, lambda: [toast.message for toast in shown_toasts(app)] == said)
        assert not screen.query_one(TerminalPane).view.attached
        off = {action.name: action.off for action in available_actions(screen)}
        assert off["live.shell"] == reason
        bar = screen.query_one(KeyBar)
        await until(pilot, lambda: "t" not in [known.key for known in bar.keys_shown])


async def test_freezing_a_paused_run_takes_the_shell_from_the_bar(tmp_path: Path) -> None:
    async with command_runs(tmp_path) as (app, pilot, _):
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        bar = screen.query_one(KeyBar)
        await pilot.resize_terminal(200, 45)
        await screen.apply(e.ModeChanged(seq=4, t=1.0, mode="paused"))
        await until(pilot, lambda: "resume" in [known.words for known in bar.keys_shown])
        await until(pilot, lambda: "t" in [known.key for known in bar.keys_shown])
        await screen.apply(e.SandboxFrozen(seq=5, t=1.0, by="human"))
        await until(pilot, lambda: "t" not in [known.key for known in bar.keys_shown])


async def test_escape_says_that_the_sandbox_runs_again(tmp_path: Path) -> None:
    async with command_runs(tmp_path) as (app, pilot, interrupted):
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        screen.state.apply(e.SandboxFrozen(seq=4, t=1.0, by="human"))
        await escape(app, pilot, 100.0)
        await until(pilot, lambda: interrupted.times == 1)
        await until(pilot, lambda: bool(shown_toasts(app)))
        said = [toast.message for toast in shown_toasts(app)]
        assert said == [interrupt_words(interrupted=False, was_frozen=True)]


@pytest.mark.parametrize(
    ("interrupted", "was_frozen", "words"),
    [
        (True, False, "The command was interrupted."),
        (False, False, ""),
        (
            *(True, True),
            "The sandbox runs again: the command was interrupted. The run stays paused.",
        ),
        (
            *(False, True),
            "The sandbox runs again: the command ended by itself. The run stays paused.",
        ),
    ],
)
def test_what_an_interrupt_did(interrupted: bool, was_frozen: bool, words: str) -> None:
    assert interrupt_words(interrupted=interrupted, was_frozen=was_frozen) == words
