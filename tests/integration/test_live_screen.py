"""The screen of a live run on a real sandbox: waiting calls, how it proceeds, leaving."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.choose_mode import ModeDialog
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.calls.approval_bar import ApprovalBar
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.end_card import EndCard
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar
from sandbox_tui.tui.widgets.calls.queue_list import QueueList
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.preview.lines import PreviewLines
from sandbox_tui.tui.widgets.status_bar import StatusBar
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import Start, settings
from tests.waiting import until

SHOTS = os.environ.get("LIVE_SHOTS")
"""Folder for screenshots; none are made if unset."""


class Watching:
    """A run on the screen.

    Attributes:
        app: the program.
        pilot: presses its keys.
        screen: the live screen.
    """

    def __init__(self, app: SandboxTui, pilot: Pilot[int], screen: LiveScreen) -> None:
        self.app, self.pilot, self.screen = app, pilot, screen

    async def until(self, true: Callable[[], object]) -> None:
        """Let the program run until the condition holds."""
        await until(self.pilot, true)

    async def waiting(self, number: int) -> None:
        """Wait until this call is waiting and the screen shows it."""
        calls = self.screen.query_one(Calls)
        await self.until(lambda: calls.waiting == number)
        await self.until(lambda: self.screen._drawn_call.shows(self.screen.state.pending))

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def shot(self, name: str) -> None:
        if SHOTS:
            self.app.save_screenshot(f"{name}-{self.app.size.width}.svg", SHOTS)

    async def finish(self) -> None:
        """Approve all calls that still wait, to the end."""
        while self.screen.state.finished is None:
            if self.screen.state.pending is not None:
                self.screen.action_approve()
            await self.pilot.pause(0.05)
        await self.until(self.screen.worker.ended.is_set)


@asynccontextmanager
async def live(
    tmp_path: Path,
    server: s.ScriptedServer,
    mode: e.Mode = "step",
    size: tuple[int, int] = (160, 45),
) -> AsyncIterator[Watching]:
    require("bubblewrap")
    usual = settings(
        "bubblewrap",
        **{"model.name": "m", "model.base_url": server.url, "agent.output": str(tmp_path / "out")},
    )
    store = Store(tmp_path / "live.db")
    app = SandboxTui(usual, store, [RunRequest(task="x", settings=usual, mode=mode)])
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        yield Watching(app, pilot, app.screen)
    store.close()


def bash(command: str) -> s.Scripted:
    return s.call("execute_bash", command=command)


# --- the mode


@pytest.mark.parametrize(
    ("keys", "mode"),
    [
        (("M", "a"), "auto"),
        (("M", "p"), "ask"),
        (("f4", "s"), "step"),
        (("M", "escape"), "step"),
        (("M", "enter"), "step"),
        (("M", "home", "enter"), "auto"),
        (("M", "home", "down", "enter"), "ask"),
    ],
)
async def test_a_change_of_mode_leaves_the_waiting_call_waiting(
    tmp_path: Path, scripted_server: Start, keys: tuple[str, ...], mode: e.Mode
) -> None:
    server = scripted_server(bash("echo first"), s.call("submit"))
    async with live(tmp_path, server) as run:
        await run.waiting(1)
        await run.press(keys[0])
        assert isinstance(run.app.screen, ModeDialog)
        run.shot("mode")
        await run.press(*keys[1:])
        assert run.app.screen is run.screen
        await run.until(lambda: run.screen.state.mode == mode)
        later = "; later calls run without asking" * (mode == "auto")
        said = [] if mode == "step" else [f"Call 1 still waits for your decision{later}."]
        await run.until(lambda: [one.message for one in shown_toasts(run.app)] == said)
        pending = run.screen.state.pending
        assert pending is not None
        assert pending.call.number == 1
        assert pending.decided is None
        await run.finish()
    assert [message["role"] for message in server.requests[-1]["messages"]].count("tool") == 1


# --- the waiting call


SIZES = pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)])

LONG = "\n".join(
    [f"echo line-{number:03}" for number in range(80)]
    + ["echo " + "".join(f"<{number:03}>" for number in range(100)) + " && rm -rf /testbed/none"]
)


def rows(blocks: BlockList) -> list[str]:
    """The visible rows of a list."""
    height = blocks.scrollable_content_region.height
    return [blocks.render_line(y).text for y in range(height)]


async def read_on(run: Watching, blocks: BlockList, key: str) -> str:
    """All text that becomes visible while a key is pressed until the list stops scrolling."""
    text = "".join(row.strip() for row in rows(blocks))
    for _ in range(200):
        y = blocks.scroll_offset.y
        await run.press(key)
        moved = blocks.scroll_offset.y - y
        if not moved:
            return text
        text += "".join(row.strip() for row in rows(blocks)[-moved:])
    raise AssertionError("it has no end")


@SIZES
async def test_a_waiting_call_is_read_whole_in_its_place(
    tmp_path: Path, scripted_server: Start, size: tuple[int, int]
) -> None:
    server = scripted_server(bash(LONG), bash("echo second"), s.call("submit"))
    async with live(tmp_path, server, size=size) as run:
        await run.waiting(1)
        calls = run.screen.query_one(Calls)
        run.shot("long")
        item = calls.current
        assert isinstance(item, CallItem)
        assert item.status == "waiting"
        await run.until(lambda: "waits for you" in "".join(rows(calls)))  # from its first line
        text = await read_on(run, calls, "down")
        run.shot("long-end")
        for number in range(80):
            assert f"line-{number:03}" in text
        for number in range(100):
            assert f"{number:03}" in text
        assert "rm-rf/testbed/none" in text.replace(" ", "")
        await run.press("a")
        await run.waiting(2)
        assert calls.following, "the end is followed again"
        assert "echo second" in "".join(rows(calls))
        await run.finish()


@SIZES
async def test_a_key_opens_the_whole_waiting_call_without_moving_the_cursor(
    tmp_path: Path, scripted_server: Start, size: tuple[int, int]
) -> None:
    server = scripted_server(bash("true"), bash(LONG), s.call("submit"))
    async with live(tmp_path, server, size=size) as run:
        await run.waiting(1)
        await run.press("a")
        await run.waiting(2)
        for keys in (["o"], ["home", "W"], ["2", "W"]):
            await run.press(*keys)
            assert isinstance(run.app.screen, PagerScreen)
            text = await read_on(run, run.app.screen.query_one(PreviewLines), "pagedown")
            assert all(f"line-{number:03}" in text for number in range(80))
            assert "rm-rf/testbed/none" in text.replace(" ", "")
            await run.press("q")
            assert run.app.screen is run.screen
        assert run.screen.state.pending is not None
        await run.finish()


@SIZES
async def test_the_bar_says_how_the_call_is_read(
    tmp_path: Path, scripted_server: Start, size: tuple[int, int]
) -> None:
    server = scripted_server(bash(LONG), s.call("submit"))
    async with live(tmp_path, server, size=size) as run:
        await run.waiting(1)
        bar = run.screen.query_one(ApprovalBar)
        first, second = bar.render().plain.split("\n")
        assert first.rstrip().endswith("W full call")
        assert "S skip" in second
        x = bar.content_region.x - bar.region.x + first.rstrip().index("W full call")
        await run.pilot.click(bar, offset=(x + 3, 0))
        await run.pilot.pause()
        assert isinstance(run.app.screen, PagerScreen)
        await run.press("q")
        await run.finish()


async def test_the_bar_cuts_no_word_and_says_how_to_reach_a_key_that_the_queue_has(
    tmp_path: Path, scripted_server: Start
) -> None:
    server = scripted_server(bash(LONG), s.call("submit"))
    async with live(tmp_path, server, size=(60, 20)) as run:
        await run.waiting(1)
        bar = run.screen.query_one(ApprovalBar)
        choices = "a approve Y always e edit r reject A answer S skip M mode"
        assert bar.render().plain.split("\n")[1] == choices
        await run.press("m", *"hello", "enter")
        await run.until(lambda: run.screen.state.queue)
        await run.press("u")
        assert isinstance(run.app.focused, QueueList)
        assert "a approve Y always esc, then e edit r reject A answer" in bar.render().plain
        await run.press("escape")
        assert choices in bar.render().plain
        await run.finish()


async def test_a_waiting_call_does_not_scroll_a_reader_away(
    tmp_path: Path, scripted_server: Start
) -> None:
    server = scripted_server(bash("seq 40; false"), bash("sleep 100"), bash(LONG), s.call("submit"))
    async with live(tmp_path, server, size=(100, 24)) as run:
        for number in (1, 2):
            await run.waiting(number)
            await run.press("a")
        await run.until(lambda: run.screen.state.running is not None)
        calls = run.screen.query_one(Calls)
        await run.press("home")
        assert calls.cursor == 0
        place = calls.scroll_offset.y
        controls = run.screen.run
        assert controls is not None
        await controls.interrupt()
        await run.waiting(3)
        assert (calls.cursor, calls.scroll_offset.y) == (0, place)
        assert "↓ call 3 waits" in str(calls.border_subtitle)
        await run.finish()


# --- lines, shells and the end


def bar_text(run: Watching) -> str:
    bar = run.app.screen.query_one(KeyBar)
    return bar.render_line(0).text


async def test_after_a_line_is_sent_the_screen_has_the_keys_again(
    tmp_path: Path, scripted_server: Start
) -> None:
    server = scripted_server(bash("echo first"), bash("echo second"), s.call("submit"))
    async with live(tmp_path, server) as run:
        await run.waiting(1)
        approval = run.screen.query_one(ApprovalBar)
        assert "to use these keys" not in approval.render().plain
        await run.press("i", *"echo mine")
        assert "esc to use these keys:" in approval.render().plain
        await run.press("enter")
        await run.until(lambda: [h.text for h in run.screen.state.humans.values()] == ["echo mine"])
        assert run.app.focused is run.screen.query_one(Calls)
        assert "to use these keys" not in approval.render().plain
        await run.press("a")
        await run.waiting(2)
        field = run.screen.query_one(InjectBar).query_one(Input)
        await run.press("i", *"draft", "up")
        assert field.value == "echo mine"
        await run.press("up", "down")
        assert field.value == "draft"
        await run.press("escape", "m", "up")
        assert field.value == "", "what was a command is not offered as a message"
        await run.press("escape", "i")
        assert field.value == "draft"
        await run.press("escape")
        await run.finish()


async def test_the_key_bar_is_whole_again_when_a_shell_gives_the_keys_back(
    tmp_path: Path, scripted_server: Start
) -> None:
    server = scripted_server(bash("echo first"), s.call("submit"))
    async with live(tmp_path, server) as run:
        await run.waiting(1)
        approval = run.screen.query_one(ApprovalBar)
        assert "inject" in bar_text(run)
        await run.press("t")
        view = run.screen.query_one(TerminalPane)
        await run.until(lambda: view.view.attached)
        await run.until(lambda: "inject" not in bar_text(run))
        assert "ctrl+] to use these keys" in approval.render().plain
        await run.press("ctrl+right_square_bracket")
        await run.until(lambda: not view.view.attached)
        await run.until(lambda: "inject" in bar_text(run))
        assert "to use these keys" not in approval.render().plain
        await run.finish()


async def test_the_key_bar_says_what_space_does(tmp_path: Path, scripted_server: Start) -> None:
    server = scripted_server(bash("sleep 100"), s.call("submit"))
    async with live(tmp_path, server, "auto") as run:
        await run.until(lambda: run.screen.state.running is not None)
        await run.until(lambda: "space pause" in bar_text(run))
        await run.press("space")
        await run.until(lambda: run.screen.state.mode == "paused")
        await run.until(lambda: "space resume" in bar_text(run))
        await run.press("space")
        await run.until(lambda: "space pause" in bar_text(run))
        assert run.screen.run is not None
        await run.screen.run.interrupt()
        await run.finish()


async def test_space_pauses_and_resumes_in_step_mode(
    tmp_path: Path, scripted_server: Start
) -> None:
    server = scripted_server(bash("echo one"), s.call("submit"))
    async with live(tmp_path, server, "step") as run:
        await run.until(lambda: run.screen.state.pending is not None)
        off = run.screen.why_unavailable("interrupt_reply", ())
        assert off == "the reply is complete, and its call waits for you"
        await run.until(lambda: "space pause" in bar_text(run))
        await run.press("space")
        await run.until(lambda: "space resume" in bar_text(run))
        assert run.screen.state.mode == "paused"
        header = run.screen.query_one(StatusBar).render_line(0).text
        assert "mode step ‖ paused  ◆ waits for you" in header
        assert "M mode: step ‖ paused" in run.screen.query_one(ApprovalBar).render().plain
        await run.press("space")
        await run.until(lambda: "space pause" in bar_text(run))
        assert run.screen.state.mode == "step"
        await run.press("a")
        await run.until(lambda: run.screen.state.pending and run.screen.state.step == 2)
        await run.waiting(2)
        await run.press("a")
        await run.finish()


async def test_a_run_that_was_paused_stays_paused_after_a_freeze(
    tmp_path: Path, scripted_server: Start
) -> None:
    server = scripted_server(bash("sleep 100"), s.call("submit"))
    async with live(tmp_path, server, "auto") as run:
        await run.until(lambda: run.screen.state.running is not None)
        state = run.screen.state
        for keys, mode in (((), "auto"), (("space",), "paused")):
            await run.press(*keys, "Z")
            await run.until(lambda: state.frozen)
            assert state.mode == "paused"
            await run.press("Z")
            await run.until(lambda: not state.frozen)
            await run.until(lambda mode=mode: state.mode == mode)
            await run.until(lambda: run.screen._steering._freezing is None)
            assert run.screen.run is not None
            assert run.screen.run.gate.mode == mode
        assert run.screen.run is not None
        await run.screen.run.interrupt()
        await run.press("space")
        await run.finish()


async def test_the_end_says_the_outcome_and_where_the_results_are(
    tmp_path: Path, scripted_server: Start
) -> None:
    server = scripted_server(bash("echo 42 > output/answer.txt"), s.call("submit"))
    async with live(tmp_path, server, "auto") as run:
        await run.finish()
        end = run.screen.query_one(EndCard)
        await run.until(lambda: end.display)
        words = end.render().plain
        assert "✓ submitted" in words
        assert "42" in words
        assert run.screen.state.finished is not None
        output = run.screen.state.finished.output
        assert output
        await run.until(lambda: "1 file" in end.render().plain)
        words = end.render().plain
        assert f"1 file, 3B, in {output}" in words
        assert "answer.txt 3B" in words
        assert "2 steps · 2 calls" in words
        for key in ("V replay", "F fork", "E export", "B open folder", "q leave"):
            assert key in words
        assert run.screen.worker.run_id in words
        calls = run.screen.query_one(Calls)
        await run.press("home")
        assert "end = follow" not in str(calls.border_subtitle)
        active = {b.binding.action for b in run.screen.active_bindings.values()}
        assert not active & {"interrupt_reply", "screen.push_file", "screen.edit_file", "pause"}
        await run.press("3")
        assert "copy in" not in bar_text(run)
        assert "edit file" not in bar_text(run)


async def test_a_file_in_the_queue_is_called_what_it_is(
    tmp_path: Path, scripted_server: Start
) -> None:
    server = scripted_server(bash("echo one > a.txt"), bash("true"), s.call("submit"))
    async with live(tmp_path, server) as run:
        await run.waiting(1)
        await run.press("a")
        await run.waiting(2)
        assert run.screen.run is not None
        files = run.screen.run.files
        data = await files.open("/testbed/a.txt")
        await files.save("/testbed/a.txt", b"two\n", opened=data)
        queue = run.screen.query_one(QueueList)
        await run.until(lambda: queue.block_count() == 1)
        assert queue.draw_block(0, 80)[0].plain.split()[:2] == ["edit", "/testbed/a.txt"]
        await run.finish()


# --- the key bar of a narrow screen, and what is typed at the end


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)])
@pytest.mark.parametrize("pane", ["2", "3"])
async def test_escape_in_another_pane_leads_to_the_calls_and_interrupts_nothing(
    tmp_path: Path, scripted_server: Start, pane: str, size: tuple[int, int]
) -> None:
    server = scripted_server(bash("sleep 60"), s.call("submit"))
    async with live(tmp_path, server, "auto", size=size) as run:
        await run.until(lambda: run.screen.state.busy)
        await run.until(lambda: "esc interrupt" in bar_text(run))
        await run.press(pane)
        await run.until(lambda: "esc calls" in bar_text(run))
        assert "esc interrupt" not in bar_text(run)
        await run.press("escape")
        assert run.app.focused is run.screen.query_one(Calls)
        await run.until(lambda: "esc interrupt" in bar_text(run))
        assert run.screen.state.busy
        assert "esc calls" not in bar_text(run)
        await run.press("1", "escape")  # another key between them: it is no double press
        await run.until(lambda: not run.screen.state.busy)
        await run.finish()


async def test_on_a_narrow_screen_the_keys_for_a_running_command_come_first(
    tmp_path: Path, scripted_server: Start
) -> None:
    server = scripted_server(bash("sleep 60"), s.call("submit"))
    async with live(tmp_path, server, "auto", size=(60, 20)) as run:
        await run.until(lambda: run.screen.state.busy)
        await run.until(lambda: bar_text(run).startswith("space pause  esc interrupt  m message"))
        assert "q leave" in bar_text(run)
        await run.press("m", *"hello", "enter")
        await run.until(lambda: run.screen.state.queue)
        await run.press("u")
        for size in ((60, 20), (100, 30), (160, 45)):
            await run.pilot.resize_terminal(*size)
            await run.until(lambda: bar_text(run).startswith("enter edit  d withdraw  esc back"))
        await run.press("x")
        await run.until(lambda: not run.screen.state.queue)
        await run.press("escape")
        await run.until(lambda: not run.screen.state.busy)
        await run.finish()
        totals = run.screen.state.totals
        assert (totals.failed_calls, totals.interrupted_calls) == (0, 1)
        card = run.screen.query_one(EndCard)
        await run.until(lambda: "2 calls, 1 interrupted" in card.render().plain)
        store, run_id = run.screen.session
        summary = store.run(run_id)
        assert (summary.calls, summary.failed_calls) == (2, 0)


@pytest.mark.parametrize("opens", ["t", "i", "m"])
async def test_what_is_typed_for_an_input_just_after_the_end_is_no_command(
    tmp_path: Path, scripted_server: Start, opens: str
) -> None:
    server = scripted_server(s.call("submit"))
    async with live(tmp_path, server, "auto") as run:
        await run.finish()
        await run.until(lambda: run.screen.state.finished)
        await run.pilot.pause()
        for character in f"{opens}F/no?q":
            run.app.post_message(Key(character, character))
        await run.pilot.pause(0.5)
        assert run.app.screen is run.screen
        assert not run.app.screen.query_one("#find").display
        await run.press("q")
        await run.until(lambda: run.app.screen is not run.screen)


async def test_a_queued_command_does_not_start_when_its_run_is_ended(
    tmp_path: Path, scripted_server: Start
) -> None:
    server = scripted_server(bash("sleep 60"), s.call("submit"))
    async with live(tmp_path, server, "auto") as run:
        await run.until(lambda: run.screen.state.busy)
        assert run.screen.run is not None
        run.screen.run.inject("echo late", tell=False)
        await run.until(lambda: run.screen.state.humans)
        run.screen.run.cancel("You ended the run.")
        await run.until(run.screen.worker.ended.is_set)
        await run.until(lambda: run.screen.state.finished)
        (command,) = run.screen.state.humans.values()
        assert (command.started, command.finished) == (False, None)
