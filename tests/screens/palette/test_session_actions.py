"""What the palette offers about a session: its answer, its export in a format, its end."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.dialogs.export_session import ExportDialog
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from sandbox_tui.tui.screens.wall.dialogs.end_runs import EndAllRunsDialog
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from tests.perf.made_sessions import fill
from tests.screens.cockpit.test_approving import waiting
from tests.screens.home.test_find_sessions import at_home
from tests.screens.home.test_wall_from_home import keep_ended, keep_waiting
from tests.screens.palette.test_evaluations import first_of
from tests.screens.palette.test_replay import replayed
from tests.snapshots import test_looks as looks
from tests.snapshots.watched_run import WatchedRun
from tests.waiting import until


def usual(store: Store) -> SandboxTui:
    return SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)


COPY = "Copy the answer"


async def choose(app: SandboxTui, pilot: Pilot[int], number: int) -> RunTile:
    """Give the tile of a run the focus."""
    tile = next(one for one in app.screen.query(RunTile) if one.number == number)
    tile.focus()
    await until(pilot, lambda: app.screen.focused is tile)
    return tile


async def test_a_run_without_an_answer_says_so(store: Store, own_home: Path) -> None:
    app = usual(store)
    async with app.run_test(size=(100, 30)) as pilot:
        screen = LiveScreen(WatchedRun(waiting("execute_bash", command="ls")), store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.pending)
        await first_of(app, pilot, "copy")
        app.screen.query_one(Input).value = "copy answer"
        listed = app.screen.query_one(EntryList)
        await until(pilot, lambda: listed.first is not None and listed.first.words == COPY)
        assert listed.first is not None
        assert listed.first.off == "the run has no answer yet"


async def test_the_answer_of_the_chosen_run_of_a_wall_is_copied(
    store: Store, own_home: Path
) -> None:
    app = usual(store)
    async with app.run_test(size=(100, 30)) as pilot:
        await looks.ended_wall(app, pilot, store)
        chosen = await choose(app, pilot, 2)
        entry = await first_of(app, pilot, "copy answer")
        assert (entry.words, entry.off) == ("Copy the answer", "")
        await pilot.press("enter")
        await until(pilot, lambda: app.clipboard)
        assert chosen.state.finished is not None
        assert app.clipboard == chosen.state.finished.answer == "aspirin"


@pytest.mark.parametrize(
    ("typed", "words"), [("export", "Export run 2"), ("rewind", "Open the run")]
)
async def test_the_chosen_run_of_a_wall_is_exported_and_replayed(
    store: Store, own_home: Path, typed: str, words: str
) -> None:
    app = usual(store)
    async with app.run_test(size=(100, 30)) as pilot:
        await looks.ended_wall(app, pilot, store)
        await choose(app, pilot, 2)
        assert (await first_of(app, pilot, typed)).words == words


@pytest.mark.parametrize("typed", ["stop all", "end all", "kill everything"])
async def test_all_runs_of_a_wall_are_ended_together(
    store: Store, own_home: Path, typed: str
) -> None:
    app = usual(store)
    async with app.run_test(size=(100, 30)) as pilot:
        await looks.wall(app, pilot, store)
        entry = await first_of(app, pilot, typed)
        assert entry.words == "End all 6 runs"
        assert (await first_of(app, pilot, "stop")).words == "End the run, or all shown"
        await first_of(app, pilot, typed)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, EndAllRunsDialog))
        question = str(app.screen.query_one("#question", Static).render())
        assert question.startswith("End all 6 that still run? ")


@pytest.mark.parametrize(
    ("typed", "name"),
    [("export html", "html"), ("markdown", "markdown"), ("save as gif", "film")],
)
async def test_an_export_begins_at_the_format_that_is_meant(
    store: Store, own_home: Path, typed: str, name: str
) -> None:
    fill(store, "r", 5)
    app = usual(store)
    async with app.run_test(size=(100, 30)) as pilot:
        await replayed(app, pilot, store)
        entry = await first_of(app, pilot, typed)
        assert entry.words == f"Export as {name}"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExportDialog))
        await pilot.pause()
        formats = app.screen.query_one(OptionList)
        assert formats.highlighted_option is not None
        assert str(formats.highlighted_option.prompt).split()[0] == name


async def test_stop_on_the_home_screen_says_why_it_ends_nothing(store: Store) -> None:
    keep_ended(store)
    keep_waiting(store)
    async with at_home(store) as (home, pilot):
        app = home.app
        assert isinstance(app, SandboxTui)
        await first_of(app, pilot, "new")
        for key, why in (
            (
                "home",
                "another program runs it: enter watches it, there T takes control and x ends it",
            ),
            ("end", "no run that goes on is under the cursor"),
        ):
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is home)
            await pilot.press(key)
            await first_of(app, pilot, "new")
            app.screen.query_one(Input).value = "stop"
            await pilot.pause()
            entries = app.screen.query_one(EntryList)
            assert entries.first is not None
            rows = [row for row in entries._rows if not isinstance(row, str)]
            ends = next(row.entry for row in rows if row.entry.words == "End the run")
            assert ends.off == why


async def test_an_ended_run_is_forked_after_a_step(store: Store, own_home: Path) -> None:
    fill(store, "r", 5)
    app = usual(store)
    async with app.run_test(size=(100, 30)) as pilot:
        screen = LiveScreen(WatchedRun(list(store.events("r"))), store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.finished)
        entry = await first_of(app, pilot, "fork step 1")
        assert (entry.words, entry.off) == ("Fork after step 1", "")
        app.screen.query_one(Input).value = "fork step 99"
        await pilot.pause()
        first = app.screen.query_one(EntryList).first
        assert first is not None
        assert first.off == f"the last step is {screen.state.step}"
