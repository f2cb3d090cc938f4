"""An interrupted run on the wall of `attach` that is resumed in this program."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunWorker, Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.lifecycle.first_screen import Attach
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.messages import ResumeRequested
from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from tests.unit.event_streams import started
from tests.waiting import until


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        for run_id in ("a", "b"):
            store.append(run_id, [started(started_at=time.time())])
            store.set_owner(run_id, ProcessIdentity.no_process())
        yield store


async def test_its_tile_and_its_screen_are_those_of_the_resumed_run(store: Store) -> None:
    settings = load({"model.name": "m", "model.local_ports": []})
    app = SandboxTui(settings, store, Attach([store.run("a"), store.run("b")]))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        wall = app.screen
        assert isinstance(wall, WallScreen)
        await until(pilot, lambda: [one.kind for one in wall.query(RunTile)] == ["failed"] * 2)
        second = next(one for one in wall.query(RunTile) if one.number == 2)
        second.focus()
        resumed = RunWorker(RunRequest(task="x", settings=settings), store, "b")
        app.runs.all["b"] = resumed
        await until(pilot, lambda: second.worker is resumed)
        assert wall.focused is second
        assert second.kind == "running"

        wall.post_message(ResumeRequested("b", lambda _: None, lambda _: None))
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        live = app.screen
        assert isinstance(live, LiveScreen)
        assert live.worker is resumed, "it is not watched as a run of another terminal"
        assert live.words_for("leave") == "back"
        assert not shown_toasts(app)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is wall)
        app.runs.all.clear()
