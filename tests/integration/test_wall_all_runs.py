"""Keys of the wall that act on one run, or on all that it shows."""

from __future__ import annotations

from pathlib import Path

from textual.events import Key
from textual.widgets import Input, OptionList, Static

from sandbox_tui.sessions.recording.run_registry import ENDED_BY_USER
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.wall.dialogs.choose_mode_of_all import (
    AllRunsModeDialog,
    WallModeDialog,
)
from sandbox_tui.tui.screens.wall.dialogs.end_runs import EndOtherRunsDialog, EndRunsDialog
from sandbox_tui.tui.screens.wall.dialogs.message_runs import MessageRunsDialog
from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.key_bar import KeyBar
from tests.integration.test_wall import modes_marked, notices, tile, tile_of, waiting_runs
from tests.waiting import until


def queued(app: SandboxTui) -> list[list[str]]:
    """The messages that wait in each run, by its number."""
    workers = app.runs.all.values()
    return [[item.text for item in worker.state.humans.values()] for worker in workers]


def question(app: SandboxTui) -> str:
    return str(app.screen.query_one("#question", Static).render())


async def test_a_message_goes_to_the_run_or_to_all_shown(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two", "three"]) as (app, pilot):
        tile(app, 2).focus()
        await pilot.press("m", *"look")
        await until(pilot, lambda: isinstance(app.screen, MessageRunsDialog))
        await until(pilot, lambda: app.screen.query_one(Input).value == "look")
        assert app.screen.query_one(Input).border_title == "message to run 2"
        await pilot.press("enter")
        await until(pilot, lambda: queued(app) == [[], ["look"], []])
        assert notices(app)[-1] == "Sent to run 2: its model reads it before its next reply."

        await pilot.press("m", *"again", "escape", "m")
        await until(pilot, lambda: isinstance(app.screen, MessageRunsDialog))
        line = app.screen.query_one(Input)
        assert line.value == "again", "what was typed is not lost"
        assert "ctrl+g all 3 runs shown" in str(line.border_subtitle)
        await pilot.press("ctrl+g")
        assert line.border_title == "message to all 3 runs shown"
        await pilot.press("enter")
        await until(pilot, lambda: queued(app) == [["again"], ["look", "again"], ["again"]])
        assert notices(app)[-1] == "Sent to 3 runs: each model reads it before its next reply."


async def test_a_run_is_ended_or_all_shown(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two", "three"]) as (app, pilot):
        wall = app.screen
        tile(app, 3).focus()
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, EndRunsDialog))
        assert question(app).startswith("End run 3?")
        await pilot.press("y")
        await until(pilot, lambda: tile_of(wall, 3).kind == "failed")

        tile(app, 1).focus()
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, EndRunsDialog))
        box = app.screen.query_one(".dialog")
        assert "g both that still run" in str(box.border_subtitle)
        await pilot.press("g")
        assert question(app).startswith("End both that still run?")
        await pilot.press("g")
        assert question(app).startswith("End run 1?")
        await pilot.press("g", "y")
        workers = app.runs.all.values()
        await until(pilot, lambda: all(worker.ended.is_set() for worker in workers))
        ends = [worker.state.finished for worker in workers]
        assert [end.error for end in ends if end] == [ENDED_BY_USER] * 3


async def test_keys_for_all_are_about_the_others_once_the_chosen_run_has_ended(
    tmp_path: Path,
) -> None:
    async with waiting_runs(tmp_path, ["one", "two", "three"]) as (app, pilot):
        wall = app.screen
        assert isinstance(wall, WallScreen)
        tile(app, 1).focus()
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, EndRunsDialog))
        await pilot.press("y")
        await until(pilot, lambda: tile_of(wall, 1).kind == "failed" and app.screen is wall)
        assert app.focused is tile(app, 1)
        words = [wall.words_for(action) for action in ("message", "mode", "end")]
        assert words == ["message all", "mode of all", "end all"]

        await pilot.press("m", *"look")
        await until(pilot, lambda: isinstance(app.screen, MessageRunsDialog))
        await until(pilot, lambda: app.screen.query_one(Input).value == "look")
        assert app.screen.query_one(Input).border_title == "message to both that still run"
        await pilot.press("enter")
        await until(pilot, lambda: queued(app)[1:] == [["look"], ["look"]])

        await until(pilot, lambda: app.screen is wall)
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, AllRunsModeDialog))
        await pilot.press("g", "s")
        await until(
            pilot,
            lambda: (
                notices(app)[-1] == "Mode step in both runs; 2 calls still wait: A decides on them."
            ),
        )

        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, EndOtherRunsDialog))
        assert question(app).startswith("Run 1 has ended. End both that still run?")
        box = app.screen.query_one(".dialog")
        assert str(box.border_subtitle).startswith("g end both that still run · ")
        await pilot.press("y")  # the two keys that ended run 1
        words = "Run 1 has ended: g ends both that still run."
        await until(pilot, lambda: words in notices(app))
        assert isinstance(app.screen, EndOtherRunsDialog)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is wall)

        tile(app, 2).focus()
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, EndRunsDialog))
        await pilot.press("y")
        await until(pilot, lambda: tile_of(wall, 2).kind == "failed" and app.screen is wall)
        assert wall.words_for("end") == "end run 3"
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, EndOtherRunsDialog))
        assert question(app).startswith("Run 2 has ended. End run 3?")
        await pilot.press("y")
        assert isinstance(app.screen, EndOtherRunsDialog)
        await pilot.press("g")
        await until(pilot, lambda: tile_of(wall, 3).kind == "failed" and app.screen is wall)
        assert wall.why_unavailable("end", ()) == "this run has ended"


async def test_escape_is_the_last_key_and_a_notice_ends_with_its_cause(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        await pilot.press("S")
        await until(pilot, lambda: any("only in an opened run" in one for one in notices(app)))
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, WallModeDialog))
        assert notices(app) == []
        shown = [known.action for known in app.screen.query_one(KeyBar).keys_shown]
        assert shown.index("all_runs") < shown.index("dismiss(None)")


async def test_runs_that_are_paused_stay_so_when_their_mode_is_chosen(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        wall = app.screen
        await pilot.press("P")
        await until(pilot, lambda: modes(app) == ["paused"] * 2)
        for keys, words in (
            (
                ("g", "p"),
                "Mode ask in both runs once you resume them; 2 calls still wait: A decides on them.",
            ),
            (("a",), "Mode auto in run 1 once you resume it; its call still waits: a approves it."),
        ):
            await pilot.press("M")
            await until(pilot, lambda: isinstance(app.screen, WallModeDialog))
            title = str(app.screen.query_one(OptionList).border_title)
            assert title == "mode · paused · continues in the chosen mode"
            await pilot.press(*keys)
            await until(pilot, lambda words=words: notices(app)[-1] == words)
        await until(pilot, lambda: app.screen is wall)
        await until(pilot, lambda: tile_of(wall, 1).state.paused_mode == "auto")
        assert modes(app) == ["paused"] * 2
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, WallModeDialog))
        assert modes_marked(app) == ["auto"]
        await pilot.press("escape", "P")
        await until(pilot, lambda: modes(app) == ["auto", "ask"])
        await until(pilot, lambda: shown(app) == ["Resumed 2 runs."])

        tile_of(wall, 1).focus()
        await pilot.press("space")
        await until(pilot, lambda: modes(app)[0] == "paused")
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, WallModeDialog))
        await pilot.press("s")
        await until(
            pilot,
            lambda: (
                shown(app)
                == ["Mode step in run 1 once you resume it; its call still waits: a approves it."]
            ),
        )
        await pilot.press("space")
        assert not shown(app)


async def test_a_call_is_approved_only_after_its_tile_has_shown_it(tmp_path: Path) -> None:
    async with waiting_runs(tmp_path, ["one", "two"]) as (app, pilot):
        one = tile(app, 1)
        one.focus()
        pending, early = one.state.pending, Key("a", "a")
        early.time = 0.0
        app.post_message(early)
        await until(pilot, lambda: "not shown yet" in "".join(shown(app)))
        assert one.state.pending is pending
        await pilot.press("a")
        await until(pilot, lambda: one.state.pending is not pending)


def shown(app: SandboxTui) -> list[str]:
    """The notices on the screen."""
    return [toast.message for toast in shown_toasts(app)]


def modes(app: SandboxTui) -> list[str]:
    """The modes of all runs, in the order in which they were started."""
    return [worker.state.mode for worker in app.runs.all.values()]
