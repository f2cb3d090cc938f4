"""A start from the form for new runs waits for what the server says, however long that takes."""

from __future__ import annotations

import asyncio

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Label, Static

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.home import model_form
from sandbox_tui.tui.screens.home.server_check import ServerCheck
from sandbox_tui.tui.screens.home.start_anyway import StartAnywayDialog
from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from tests.waiting import until

URL = "http://127.0.0.1:9/v1"


class SlowServer:
    """A server that says nothing until the test lets it."""

    def __init__(self) -> None:
        self.gives_up = asyncio.Event()
        self.asked = 0

    async def check(self, _: ModelSettings, url: str) -> ServerCheck:
        self.asked += 1
        await self.gives_up.wait()
        return ServerCheck(url, answers=False, reason="did not answer within 5 s.")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> SlowServer:
    slow = SlowServer()
    monkeypatch.setattr(model_form, "check_server", slow.check)
    return slow


@pytest.fixture
def app(store: Store) -> SandboxTui:
    return SandboxTui(config.load({"model.name": "m", "model.base_url": "http://x/v1"}), store)


async def start(pilot: Pilot[int], server: SlowServer) -> NewRunDialog:
    """Type a task and a server, and start from the server's field at once."""
    await pilot.press("n", "x")
    form = pilot.app.screen
    assert isinstance(form, NewRunDialog)
    field = form.query_one("#url", Input)
    field.focus()
    field.value = URL
    await pilot.press("ctrl+s")
    await until(pilot, lambda: server.asked)
    return form


async def test_a_server_that_takes_its_time_is_waited_for_and_asked_about(
    app: SandboxTui, server: SlowServer, started: list[RunRequest]
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        form = await start(pilot, server)
        hint, url = form.query_one("#hint", Label), form.query_one("#url")
        await pilot.pause()
        assert url.border_subtitle == "being asked …"
        assert str(hint.visual).startswith("Before the start, the server is asked")
        assert not started
        server.gives_up.set()
        await until(pilot, lambda: isinstance(app.screen, StartAnywayDialog))
        words = f"The server at {URL} did not answer within 5 s. Start anyway?"
        assert str(app.screen.query_one(Static).render()) == words
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is form)
        assert url.border_subtitle == "does not answer now"
        assert not started


async def test_a_form_that_is_changed_while_its_server_is_asked_says_that_nothing_started(
    app: SandboxTui, server: SlowServer, started: list[RunRequest]
) -> None:
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        form = await start(pilot, server)
        form.query_one("#samples", Input).value = "2"
        await pilot.pause()
        server.gives_up.set()
        await until(pilot, lambda: "Not started" in "".join(t.message for t in shown_toasts(app)))
        assert app.screen is form
        assert not started


async def test_a_form_can_be_left_while_its_server_is_asked(
    app: SandboxTui, server: SlowServer, started: list[RunRequest]
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        form = await start(pilot, server)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not form)
        server.gives_up.set()
        await pilot.pause()
        assert not isinstance(app.screen, StartAnywayDialog)
        assert not started
