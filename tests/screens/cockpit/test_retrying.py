"""The key that asks the model again: in the key bar while it waits, and what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.queue_list import QueueList
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.status_bar import StatusBar
from tests.screens.cockpit.test_approving import controls
from tests.snapshots.sample_run import sample_run
from tests.snapshots.watched_run import WatchedRun
from tests.waiting import until


async def test_how_long_the_run_goes_on_asking_is_said_at_every_size(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    watched = WatchedRun([sample_run()[0], e.ModelAsked(step=1, digest="", messages=1)])
    watched.run = controls([])
    async with app.run_test(size=(160, 45)) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.reply is not None)
        failed = e.ModelFailed(step=1, error="busy", attempt=1, retry_in=60.0, gives_up_in=300.0)
        await screen.apply(failed)
        screen.sync_bars()
        status, calls = screen.query_one(StatusBar), screen.query_one(Calls)
        await until(pilot, lambda: "gives up in " in status.render_line(0).text)
        for width in (160, 100, 60):
            await pilot.resize_terminal(width, 30)
            await until(pilot, lambda: calls.size.width > 0)
            for columns in (60, 40, 32):
                lines = [line.plain for line in calls.draw_block(calls.block_count() - 1, columns)]
                assert sum("gives up in " in line for line in lines) == 1, (width, lines)


async def test_the_key_bar_has_the_retry_while_the_model_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(SandboxTui, "notify", lambda _, message, **__: said.append(message))
    asked = e.ModelAsked(step=1, digest="", messages=1)
    run = controls([])
    cast(Any, run).interrupt_reply = lambda: True
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    watched = WatchedRun([sample_run()[0], asked])
    watched.run = run
    async with app.run_test(size=(160, 45)) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.reply is not None)

        def bar() -> str:
            return screen.query_one(KeyBar).render_line(0).text

        await until(pilot, lambda: "message" in bar())
        assert "retry now" not in bar()
        failed = e.ModelFailed(step=1, error="busy", attempt=1, retry_in=60.0)
        await screen.apply(failed)
        screen.sync_bars()
        await until(pilot, lambda: "R retry now" in bar())
        assert "! try 2 of 5 in " in screen.query_one(StatusBar).render_line(0).text
        await screen.apply(e.HumanCommand(id=1, command="sleep 40", told_to_model=True))
        await screen.apply(e.HumanCommandStarted(id=1))
        screen.sync_bars()
        status = screen.query_one(StatusBar)
        await until(pilot, lambda: "! try 2 of 5 after your command" in status.render_line(0).text)
        await pilot.press("R")
        await until(pilot, lambda: said)
        assert said.pop() == "The model is asked once your command has ended."
        done = e.HumanCommandFinished(id=1, observation="", exit_code=0, duration=40.0)
        await screen.apply(done)
        screen.sync_bars()
        await until(pilot, lambda: "! try 2 of 5 in " in status.render_line(0).text)
        await screen.apply(e.ModeChanged(mode="paused"))
        screen.sync_bars()
        await until(pilot, lambda: "R retry now" not in bar())
        await pilot.press("R")
        await until(pilot, lambda: said)
        assert said == ["The model is asked again once you resume with space."]
        await screen.apply(e.ModeChanged(mode="auto"))
        screen.sync_bars()
        await until(pilot, lambda: "R retry now" in bar())


async def test_the_queue_names_the_key_that_sends_it_at_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    asked = e.ModelAsked(step=1, digest="", messages=1)
    watched = WatchedRun([sample_run()[0], asked])
    watched.run = controls([])
    async with app.run_test(size=(60, 20)) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        queue = screen.query_one(QueueList)
        await until(pilot, lambda: screen.state.reply is not None)
        await screen.apply(e.HumanMessage(id=1, text="sooner"))
        screen.sync_bars()
        words = "u edit or withdraw · R stop the reply and send now"
        await until(pilot, lambda: str(queue.border_subtitle) == words)
        await screen.apply(e.ModeChanged(mode="paused"))
        screen.sync_bars()
        await until(pilot, lambda: str(queue.border_subtitle) == "u edit or withdraw")


async def test_a_queue_without_a_border_says_that_its_command_has_run(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    watched = WatchedRun([sample_run()[0], e.ModelAsked(step=1, digest="", messages=1)])
    watched.run = controls([])
    async with app.run_test(size=(100, 30)) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        queue = screen.query_one(QueueList)
        await until(pilot, lambda: screen.state.reply is not None)
        await screen.apply(e.HumanCommand(id=1, command="ls", told_to_model=True))
        screen.sync_bars()
        queue.styles.border = ("none", "black")
        assert "has run" not in queue.draw_block(0, 96)[0].plain
        await screen.apply(e.HumanCommandStarted(id=1))
        done = e.HumanCommandFinished(id=1, observation="", exit_code=0, duration=1.0)
        await screen.apply(done)
        screen.sync_bars()
        assert "has run · u withdraw" in queue.draw_block(0, 96)[0].plain


async def test_the_status_line_and_the_step_count_alike(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    asked = e.ModelAsked(seq=2, t=1.0, step=1, digest="", messages=1)
    failed = e.ModelFailed(seq=3, t=1.5, step=1, error="busy", attempt=1, retry_in=7.0)
    watched = WatchedRun([sample_run()[0], asked, failed])
    watched.run = controls([])
    async with app.run_test(size=(160, 45)) as pilot:
        screen = Halted(watched, store)
        await app.push_screen(screen)
        bar, calls = screen.query_one(StatusBar), screen.query_one(Calls)

        def lines() -> list[str]:
            return [calls.render_line(y).text for y in range(calls.size.height)]

        await until(pilot, lambda: any("try 2 of 5" in line for line in lines()))
        for now, words in ((2.4, "in 7s"), (2.6, "in 6s"), (3.4, "in 6s"), (3.6, "in 5s")):
            screen.seconds = now
            screen._tick()
            assert bar.render_line(0).text.rstrip().endswith(words)
            assert any(f"try 2 of 5 {words}" in line for line in lines())


class Halted(LiveScreen):
    """A live screen whose clock stands still."""

    seconds = 2.0

    @property
    def now(self) -> float:
        return self.seconds


async def test_the_status_line_tells_how_far_a_reply_is(tmp_path: Path) -> None:
    state = fold(
        [
            sample_run()[0],
            e.ModelAsked(t=1.0, step=1, digest="", messages=1),
            e.ModelDelta(t=2.0, step=1, channel="reasoning", text="thought " * 1_000),
        ]
    )
    app = SandboxTui(load(), Store(tmp_path / "s.db"))
    async with app.run_test(size=(160, 45)) as pilot:
        bar = StatusBar(state, "a task")
        await app.screen.mount(bar)
        await until(pilot, lambda: bar.content_size.width)
        bar.sync(state, 19.0)
        assert bar.render_line(0).text.rstrip().endswith("● thinking 18s ≈2.0k tok")
        state.apply(e.ModelDelta(t=19.0, step=1, channel="text", text="word " * 800))
        bar.sync(state, 20.0)
        assert bar.render_line(0).text.rstrip().endswith("● writing 1s ≈3.0k tok")


async def test_a_changed_file_can_only_be_withdrawn_and_the_focus_returns(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    asked = e.ModelAsked(step=1, digest="", messages=1)
    watched = WatchedRun([sample_run()[0], asked])
    watched.run = controls([])
    async with app.run_test(size=(160, 45)) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        queue = screen.query_one(QueueList)
        await until(pilot, lambda: screen.state.reply is not None)
        changed = e.HumanFile(id=1, action="edit", path="/testbed/a.py", told_to_model=True)
        await screen.apply(changed)
        screen.sync_bars()
        await until(pilot, lambda: str(queue.border_subtitle).startswith("u withdraw"))
        await pilot.press("2")
        before = screen.focused
        assert before is not None
        await pilot.press("u")
        await until(pilot, lambda: queue.has_focus)
        assert "edit" not in str(queue.border_subtitle)
        bar = screen.query_one(KeyBar)
        await until(pilot, lambda: "enter edit" not in bar.render_line(0).text)
        await screen.apply(e.Withdrawn(id=1))
        screen.sync_bars()
        await until(pilot, lambda: screen.focused is before)


async def test_the_frame_and_the_key_bar_name_the_same_keys_for_what_is_queued(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path / "s.db")
    queued = [
        e.HumanMessage(id=1, text="a message"),
        e.HumanCommand(id=2, command="ls", told_to_model=True),
        e.HumanCommandStarted(id=2),
        e.HumanCommandFinished(id=2, observation="a", exit_code=0, duration=0.1),
    ]
    app, watched = SandboxTui(load(), store), WatchedRun([sample_run()[0], *queued])
    watched.run = controls([])
    async with app.run_test(size=(100, 30)) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        queue, bar = screen.query_one(QueueList), screen.query_one(KeyBar)
        await until(pilot, lambda: queue.block_count() == 2)
        await pilot.press("u")
        await until(pilot, lambda: bar.render_line(0).text.strip().startswith("enter edit"))
        assert str(queue.border_subtitle).startswith("enter edit · d withdraw")
        await screen.apply(e.Withdrawn(id=1))
        screen.sync_bars()
        await until(pilot, lambda: bar.render_line(0).text.strip().startswith("d withdraw"))
        assert str(queue.border_subtitle).startswith("d withdraw")
