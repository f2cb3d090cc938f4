"""Leaving the screen and the program: what is asked, what is waited for, what continues."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.message import Message
from textual.pilot import Pilot

from sandbox_tui.core.run import results
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunWorker, Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys import key_sequencer
from sandbox_tui.tui.lifecycle import shutdown
from sandbox_tui.tui.lifecycle.first_screen import Begin
from sandbox_tui.tui.screens.cockpit.live import ending_runs
from sandbox_tui.tui.screens.cockpit.live.ending_runs import EndingRunsDialog
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.leave_run import DOUBLE_PRESS_SECONDS, QuitDialog
from sandbox_tui.tui.screens.files.edit_file import EditFileScreen
from sandbox_tui.tui.screens.home import missing_image as image_offer
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.missing_image import ImageAnswer, MissingImageDialog
from sandbox_tui.tui.screens.settings import SettingsScreen
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.integration.test_runs import Start, settings
from tests.snapshots.sample_run import sample_run
from tests.waiting import until

KEPT = s.call("execute_bash", command="echo kept > output/kept.txt")


class Program:
    """The app, its pilot, its settings, and the folder for its results."""

    def __init__(self, app: SandboxTui, pilot: Pilot[int], usual: Any, out: Path) -> None:
        self.app, self.pilot, self.usual, self.out = app, pilot, usual, out

    @property
    def has_left(self) -> bool:
        return self.app._exit

    async def until(self, true: Callable[[], object]) -> None:
        await until(self.pilot, true)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def request(self) -> RunRequest:
        return RunRequest(task="x", settings=self.usual, mode="step", output=self.out)

    def begin(self) -> RunWorker:
        return self.app.runs.begin(self.request())

    async def waiting(self, worker: RunWorker, number: int) -> None:
        await self.until(lambda: (p := worker.state.pending) and p.call.number == number)


@asynccontextmanager
async def program(
    tmp_path: Path,
    server: s.ScriptedServer,
    begin: Callable[[Store], Begin] | None = None,
) -> AsyncIterator[Program]:
    require("bubblewrap")
    usual = settings("bubblewrap", **{"model.name": "m", "model.base_url": server.url})
    store = Store(tmp_path / "s.db")
    app = SandboxTui(usual, store, begin(store) if begin else None)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        yield Program(app, pilot, usual, tmp_path / "out")
    store.close()


async def one_call_done(run: Program) -> RunWorker:
    """A run that has written its result and waits before its second call."""
    worker = run.begin()
    await run.waiting(worker, 1)
    assert worker.run is not None
    worker.run.approve(1)
    await run.waiting(worker, 2)
    return worker


@pytest.mark.parametrize("keys", [("ctrl+q", "y"), ("q", "y")])
async def test_one_run_in_the_background_is_asked_about_and_its_results_are_waited_for(
    tmp_path: Path,
    scripted_server: Start,
    keys: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutdown, "SHUTDOWN_TIMEOUT_SECONDS", 0)  # the timeout after a signal
    monkeypatch.setattr(ending_runs, "DELAY_SECONDS", 0)
    seen: list[bool] = []
    copy_out = results.Results.copy_out

    async def slowly(self: Any, *more: Any) -> Any:
        await until(run.pilot, lambda: isinstance(run.app.screen, EndingRunsDialog))
        seen.append(True)
        return await copy_out(self, *more)

    monkeypatch.setattr(results.Results, "copy_out", slowly)
    async with program(tmp_path, scripted_server(KEPT, s.call("submit"))) as run:
        worker = await one_call_done(run)
        assert isinstance(run.app.screen, HomeScreen)
        await run.press(keys[0])
        assert isinstance(run.app.screen, ConfirmDialog)
        await run.press("n")
        assert isinstance(run.app.screen, HomeScreen)
        assert worker.state.finished is None
        await run.press(*keys)
        await run.until(lambda: run.has_left)
    assert seen
    assert worker.ended.is_set()
    assert (tmp_path / "out" / "kept.txt").read_text() == "kept\n"


async def test_quitting_twice_does_not_wait(
    tmp_path: Path, scripted_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    forever = asyncio.Event()

    async def never(self: Any, *more: Any) -> Any:
        await forever.wait()

    monkeypatch.setattr(results.Results, "copy_out", never)
    async with program(tmp_path, scripted_server(KEPT, s.call("submit"))) as run:
        worker = await one_call_done(run)
        await run.press("ctrl+q", "y")
        await run.until(lambda: isinstance(run.app.screen, EndingRunsDialog))
        assert not run.has_left
        await run.press("ctrl+q")
        await run.until(lambda: run.has_left)
        assert not worker.ended.is_set()
        forever.set()
        await worker.ended.wait()


async def test_nothing_is_asked_without_active_runs(tmp_path: Path, scripted_server: Start) -> None:
    async with program(tmp_path, scripted_server()) as run:
        await run.press("q")
        await run.until(lambda: run.has_left)


async def test_quitting_asks_while_a_task_is_typed_but_not_once_it_is_kept(
    tmp_path: Path, own_home: Path, scripted_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_home.mkdir()
    async with program(tmp_path, scripted_server()) as run:
        await run.press("n", *"task", "ctrl+q")
        assert isinstance(run.app.screen, ConfirmDialog)
        await run.press("n", "escape")
        await run.until(lambda: isinstance(run.app.screen, HomeScreen))
        monkeypatch.setattr(key_sequencer, "LEFT_SECONDS", 0.0)  # the next q is meant for home
        await run.press("q")
        await run.until(lambda: run.has_left)


async def test_a_run_in_the_background_continues_when_a_first_replay_is_left(
    tmp_path: Path, scripted_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replayed(store: Store) -> Begin:
        store.append("20260101-120000-sampl", sample_run())
        return store.run("20260101-120000-sampl")

    async with program(tmp_path, scripted_server(KEPT, s.call("submit")), replayed) as run:
        assert isinstance(run.app.screen, ReplayScreen)
        worker = run.begin()
        await run.waiting(worker, 1)
        await run.press("q")
        await run.until(lambda: isinstance(run.app.screen, HomeScreen))
        assert not run.has_left
        assert worker.state.pending is not None
        monkeypatch.setattr(key_sequencer, "LEFT_SECONDS", 0.0)  # the next q is meant for home
        await run.press("q", "y")
        await run.until(lambda: run.has_left)


# --- a screen that closes by itself closes no other


async def test_settings_stay_open_when_an_image_is_there(
    tmp_path: Path, scripted_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, answers = asyncio.Event(), list[ImageAnswer | None]()

    async def way(image: str, say: Any) -> None:
        await there.wait()

    monkeypatch.setattr(
        image_offer, "WAYS", {name: (words, way) for name, (words, _) in image_offer.WAYS.items()}
    )
    async with program(tmp_path, scripted_server()) as run:
        await run.app.push_screen(MissingImageDialog("none/such:1"), answers.append)
        await run.pilot.click("#pull")
        run.app.action_settings()
        await run.until(lambda: isinstance(run.app.screen, SettingsScreen))
        there.set()
        await run.pilot.pause(0.1)
        assert isinstance(run.app.screen, SettingsScreen)
        assert not answers
        await run.press("escape")
        await run.until(lambda: isinstance(run.app.screen, HomeScreen))
        assert answers == ["image"]


async def test_settings_stay_open_when_a_file_is_saved(
    tmp_path: Path, scripted_server: Start
) -> None:
    stored, answers = asyncio.Event(), list[bool | None]()

    async def save(data: bytes, opened: bytes | None, told: bool) -> None:
        await stored.wait()

    async with program(tmp_path, scripted_server()) as run:
        await run.app.push_screen(EditFileScreen("/testbed/a", b"one", save), answers.append)
        await run.press("x", "ctrl+s")
        run.app.action_settings()
        await run.until(lambda: isinstance(run.app.screen, SettingsScreen))
        stored.set()
        await run.pilot.pause(0.1)
        assert isinstance(run.app.screen, SettingsScreen)
        await run.press("escape")
        await run.until(lambda: isinstance(run.app.screen, HomeScreen))
        assert answers == [True]


async def test_settings_stay_open_when_a_run_has_ended(
    tmp_path: Path, scripted_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = asyncio.Event()
    copy_out = results.Results.copy_out

    async def slowly(self: Any, *more: Any) -> Any:
        await copied.wait()
        return await copy_out(self, *more)

    monkeypatch.setattr(results.Results, "copy_out", slowly)
    monkeypatch.setattr(ending_runs, "DELAY_SECONDS", 0)
    async with program(tmp_path, scripted_server(KEPT, s.call("submit"))) as run:
        worker = await one_call_done(run)
        await run.app.push_screen(LiveScreen(worker, run.app.runs.store))
        await run.press("q", "x")
        await run.until(lambda: isinstance(run.app.screen, EndingRunsDialog))
        run.app.action_settings()
        await run.until(lambda: isinstance(run.app.screen, SettingsScreen))
        copied.set()
        await worker.ended.wait()
        await run.pilot.pause(0.1)
        assert isinstance(run.app.screen, SettingsScreen)
        await run.press("escape")
        await run.until(lambda: isinstance(run.app.screen, HomeScreen))
        assert (run.out / "kept.txt").exists()


async def test_quitting_asks_over_another_question_and_a_second_time_means_yes(
    tmp_path: Path, scripted_server: Start
) -> None:
    async with program(tmp_path, scripted_server(KEPT, s.call("submit"))) as run:
        await run.waiting(run.begin(), 1)
        other = ConfirmDialog("Another question?")
        run.app.push_screen(other)
        await run.press("ctrl+q")
        assert isinstance(run.app.screen, QuitDialog)
        run.app.screen._drawn_at = Message().time + 60  # however slow this machine is
        await run.press("ctrl+q")  # a key that was pressed twice
        assert isinstance(run.app.screen, QuitDialog)
        await run.press("n")
        assert run.app.screen is other
        await run.press("n", "ctrl+q")
        assert isinstance(run.app.screen, QuitDialog)
        run.app.screen._drawn_at = Message().time - DOUBLE_PRESS_SECONDS
        await run.press("ctrl+q")
        await run.until(lambda: run.has_left)
