"""The header of a run that was opened while it went on, until the panes have caught up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from typing_extensions import override

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.run_worker import ProgramExited
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.wall.steering.controlled_runs import why_not
from sandbox_tui.tui.theming.palette import _palette
from sandbox_tui.tui.widgets.status_bar import StatusBar
from sandbox_tui.tui.widgets.wall.run_facts import figures_words, kind_of, status_words
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from sandbox_tui.tui.widgets.wall.wall_header import WallHeader
from tests.unit.sample_run import keep, sample
from tests.waiting import until


class SilentClient(RunClient):
    """A run whose record is never read: the screen stays behind it."""

    @override
    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        await asyncio.Event().wait()
        yield NotImplemented


def client_of(
    store: Store,
    run_id: str = "r",
    *,
    waits: bool = False,
    paused: bool = False,
    steps: int = 3,
) -> SilentClient:
    keep(store, *sample("count"), run_id=run_id)
    summary = replace(store.run(run_id), waits=waits, paused=paused, steps=steps)
    return SilentClient(replace(summary, outcome="running", seconds=75), store)


def header(app: SandboxTui) -> str:
    return "".join(segment.text for segment in app.screen.query_one(StatusBar).render_line(0))


@pytest.mark.parametrize(("waits", "words"), [(True, "◆ waits for you"), (False, "● running")])
async def test_what_the_summary_says_is_shown_until_the_run_is_read(
    tmp_path: Path, waits: bool, words: str
) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        client = client_of(store, waits=waits)
        await app.push_screen(LiveScreen(client, store))
        await until(pilot, lambda: words in header(app))
        assert "01:15  step 3" in header(app)
        assert "mode" not in header(app), "it is not known"
    store.close()


async def test_what_the_wall_has_read_is_shown_until_the_panes_show_it(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        client = client_of(store)
        first, *_ = sample("count")[0]
        client.state.apply(first)
        client.state.apply(e.ModelAsked(seq=2, t=3.0, step=7, digest="", messages=1, token_count=0))
        await app.push_screen(LiveScreen(client, store))
        await until(pilot, lambda: "step 7" in header(app))
        assert "● waits for the model" in header(app)
    store.close()


def test_a_tile_says_what_the_summary_knows(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    waits, fresh = client_of(store, "a", waits=True), client_of(store, "b", steps=0)
    assert (status_words(waits), kind_of(waits)) == ("◆ waits for you", "waiting")
    assert (status_words(fresh), kind_of(fresh)) == ("◔ attaching", "running")
    assert figures_words(waits, 75.0, 80) == "01:15 · step 3"
    assert int(RunTile(waits, 1).now) == 75
    assert why_not("steer", RunTile(waits, 1)) == "the record of this run is still being read"
    store.close()


@pytest.mark.parametrize("steps", [0, 3])
def test_the_wall_counts_a_run_as_its_tile_says(tmp_path: Path, steps: int) -> None:
    store, header = Store(tmp_path / "s.db"), WallHeader()
    paused = client_of(store, "a", paused=True, steps=steps)
    waits = client_of(store, "b", waits=True, steps=steps)
    assert status_words(paused) == "‖ paused"
    header._runs = [(1, paused), (2, waits)]
    counts = header._states(_palette(*["white"] * 12, highlight="native")).plain
    assert counts == "sandbox-tui  2 runs  ◆ 1 waits for you (2)  ‖ 1 paused"
    store.close()


def test_the_wall_says_how_a_run_goes_on_whose_program_has_exited(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    run = client_of(store)
    run.failure = ProgramExited()
    words = "the run was interrupted: r resumes it"
    assert why_not("reject", RunTile(run, 1)) == words
    assert why_not("message", RunTile(run, 1)) == words
    assert not why_not("open", RunTile(run, 1))
    store.close()
