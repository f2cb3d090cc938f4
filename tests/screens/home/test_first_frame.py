"""What the home screen says until the sessions have been read, and which keys work then."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from sandbox_tui.core.config import settings as config
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.evals import evals_screen
from sandbox_tui.tui.screens.home import find_offers, home
from sandbox_tui.tui.widgets.sessions.home_banner import HomeBanner
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.unit.sample_run import keep, sample
from tests.waiting import until


@pytest.fixture
def released(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Reading the sessions and looking for servers end when this is set."""
    event = threading.Event()
    read, find = home.read_sessions, find_offers.find_local_servers

    def read_later(store: Store, limit: int) -> object:
        event.wait()
        return read(store, limit)

    async def find_later(ports: object) -> object:
        await asyncio.to_thread(event.wait)
        return await find(ports)  # type: ignore[arg-type]

    monkeypatch.setattr(home, "read_sessions", read_later)
    monkeypatch.setattr(find_offers, "find_local_servers", find_later)
    monkeypatch.setenv("SANDBOX_TUI_MODEL_LOCAL_PORTS", "[1]")
    yield event
    event.set()


def text_of(pilot: Pilot[object]) -> str:
    shown = pilot.app.screen.query_one(SessionList)
    height = shown.scrollable_content_region.height
    return "\n".join(shown.render_line(y).text.rstrip() for y in range(height))


async def test_nothing_claims_that_there_are_no_sessions_before_they_were_read(
    own_home: Path, store: Store, released: threading.Event
) -> None:
    keep(store, *sample("zebra"))
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "reading the sessions…" in text_of(pilot))
        assert "Nothing here" not in text_of(pilot)
        assert "looking for servers…" in app.screen.query_one(HomeBanner).render().plain
        await pilot.press("w")
        said = [note.message for note in app._notifications]
        assert said == ["The sessions are still being read."]
        await pilot.press("slash")
        assert isinstance(app.focused, Input)
        await pilot.press("escape")
        released.set()
        await until(
            pilot, lambda: "sessions 1" in str(app.screen.query_one(SessionList).border_title)
        )
        assert "reading" not in text_of(pilot)


async def test_the_first_frame_shows_the_sessions_if_they_are_read_soon(
    own_home: Path, store: Store
) -> None:
    keep(store, *sample("zebra"))
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(100, 30)):
        assert app.screen.query_one(SessionList).is_read


async def test_what_was_typed_before_the_program_could_read_it_is_not_lost(
    own_home: Path, store: Store
) -> None:
    app = SandboxTui(config.load(), store)
    app.typed_ahead = "/lo"
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.focused, Input) and app.focused.value == "log")


async def test_evaluations_are_being_read_until_they_were(
    own_home: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = threading.Event()
    monkeypatch.setattr(evals_screen.EvalsScreen, "read_summaries", lambda _: event.wait() and [])
    app = SandboxTui(config.load(), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("e")
        await until(
            pilot,
            lambda: "reading the evaluations…" in app.export_screenshot().replace("&#160;", " "),
        )
        event.set()
        await until(pilot, lambda: "No&#160;evaluations&#160;yet." in app.export_screenshot())
