"""Runs that could not start give the text of the form back."""

from __future__ import annotations

import pytest
from textual.widgets import Input, TextArea

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunWorker, Store
from sandbox_tui.sessions.recording.run_worker import EndedEarly
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.dialogs.show_error import ErrorDialog
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog
from sandbox_tui.tui.screens.new_run.unstarted_runs import give_back
from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from tests.waiting import until


@pytest.fixture
def app(store: Store, monkeypatch: pytest.MonkeyPatch) -> SandboxTui:
    """A program whose runs cannot start: no engine answers."""
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    given = {"model.name": "m", "model.base_url": "http://x/v1", "sandbox.kind": "docker"}
    return SandboxTui(config.load(given), store)


async def test_the_form_opens_again_with_the_text(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("n", *"long task")
        app.screen.query_one("#steps", Input).value = "7"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, ErrorDialog))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, NewRunDialog))
        assert app.screen.query_one(TextArea).text == "long task"
        assert app.screen.query_one("#steps", Input).value == "7"
        assert any("Draft saved" in toast.message for toast in shown_toasts(app))


async def test_several_tasks_are_given_back_when_the_wall_is_left(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("n", *"one", "enter", *"---", "enter", *"two", "ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, WallScreen))
        tiles = app.screen.query(RunTile)
        await until(pilot, lambda: [tile.worker.ended.is_set() for tile in tiles] == [True] * 2)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, NewRunDialog))
        assert app.screen.query_one(TextArea).text == "one\n---\ntwo"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


async def test_the_wall_begins_with_the_first_of_the_new_runs(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        home = app.screen
        assert isinstance(home, HomeScreen)
        for first in ("one", "two"):
            tasks = (first, f"after {first}")
            home._starts.begin([RunRequest(task=task, settings=app.settings.now) for task in tasks])
            await until(pilot, lambda: isinstance(app.screen, WallScreen))
            await until(pilot, lambda: isinstance(app.screen.focused, RunTile))
            tile = app.screen.focused
            assert isinstance(tile, RunTile)
            assert tile.worker.task == first
            await pilot.press("q")  # escape may put a notice away first
            await until(pilot, lambda: app.screen is home)


async def test_a_run_that_its_person_ended_is_not_said_to_have_failed(store: Store) -> None:
    app = SandboxTui(config.load({"model.name": "m"}), store)
    worker = RunWorker(RunRequest(task="x", settings=config.load({})), store)
    worker.failure = EndedEarly("The run was ended.")
    worker.ended.set()
    draft: dict[str, str] = {}
    async with app.run_test(size=(100, 30)) as pilot:
        opens = await give_back(app.screen, [worker], {"task": "x"}, draft, "n")
        await until(pilot, lambda: len(app._notifications) == 1)
        said = [notice.message for notice in app._notifications]
    assert (opens, draft) == (False, {"task": "x"})
    assert said == ["The run was not started. Draft saved: n opens it again."]
