"""Notes on steps, written on the main screen."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.playback.keyframes import playback_state_at
from sandbox_tui.sessions.playback.playback_state import PlaybackState
from sandbox_tui.sessions.store.tables.annotations import add_note, notes_of
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.replay import replay_loop
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.timeline import Timeline
from tests.perf.made_sessions import fill
from tests.screens.cockpit.test_replay_screen import until
from tests.unit.sample_run import keep, sample


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with contextlib.closing(Store(tmp_path / "s.db")) as made:
        keep(made, *sample("zebra"))
        yield made


def written(store: Store) -> list[tuple[int, str]]:
    return [(note.step, note.text) for note in notes_of(store, "r")]


def drawn(calls: Calls) -> str:
    width = calls.scrollable_content_region.width
    lines = [line for i in range(calls.block_count()) for line in calls.draw_block(i, width)]
    return "\n".join(line.plain for line in lines)


def heights_fit(calls: Calls) -> bool:
    """Whether every block draws as many lines as it declares."""
    width = calls.scrollable_content_region.width
    return all(
        calls.block_height(i, width) == len(calls.draw_block(i, width))
        for i in range(calls.block_count())
    )


async def test_a_note_is_added_edited_and_removed(store: Store) -> None:
    app = SandboxTui(load(), store, store.run("r"))
    async with app.run_test(size=(160, 45)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await pilot.press("dollar_sign")
        await until(pilot, lambda: screen.shows(store.run("r").last_seq))
        calls, timeline = screen.query_one(Calls), screen.query_one(Timeline)
        await pilot.press("home", "down", "w")
        await until(pilot, lambda: isinstance(app.screen, PromptDialog))
        await pilot.press(*"odd", "enter")
        await until(pilot, lambda: written(store) == [(1, "odd")])
        await until(pilot, lambda: "✎ odd" in drawn(calls))
        assert heights_fit(calls)
        assert "✎" in timeline.render_line(0).text
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, PromptDialog))
        assert app.screen.query_one(Input).value == "odd"
        await pilot.press(*" step", "enter")
        await until(pilot, lambda: written(store) == [(1, "odd step")])
        await until(pilot, lambda: "✎ odd step" in drawn(calls))
        await pilot.press("enter")  # an expanded call shows the whole note
        await pilot.pause()
        assert heights_fit(calls)
        await pilot.press("end", "w")
        await until(pilot, lambda: isinstance(app.screen, PromptDialog))
        assert app.screen.query_one(Input).value == ""
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("home", "down", "w")
        await until(pilot, lambda: isinstance(app.screen, PromptDialog))
        app.screen.query_one(Input).value = ""
        await pilot.press("enter")
        await until(pilot, lambda: written(store) == [])
        await until(pilot, lambda: "✎" not in drawn(calls))


async def test_a_note_on_the_task_is_one_on_the_session(store: Store) -> None:
    app = SandboxTui(load(), store, store.run("r"))
    async with app.run_test(size=(160, 45)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        await pilot.press("0", "home", "w")
        await until(pilot, lambda: isinstance(app.screen, PromptDialog))
        assert app.screen.query_one(Input).border_title == "note on this session"
        await pilot.press(*"odd", "enter")
        await until(pilot, lambda: written(store) == [(0, "odd")])


@pytest.mark.parametrize("size", [(160, 45), (60, 20), (40, 10)])
async def test_any_note_is_plain_text(store: Store, size: tuple[int, int]) -> None:
    add_note(store, "r", 0, "of all: [bold]x[/] \x1b[31m")
    add_note(store, "r", 1, "one\ntwo " + "long " * 50)
    add_note(store, "r", 1, "another")
    app = SandboxTui(load(), store, store.run("r"))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await pilot.press("dollar_sign")
        await until(pilot, lambda: screen.shows(store.run("r").last_seq) and screen.step_notes.all)
        calls = screen.query_one(Calls)
        assert (
            drawn(calls).lstrip().startswith("✎ this session: of all: [bold]x[/]"[: size[0] - 20])
        )
        assert drawn(calls).count("of all") == 1
        assert "\x1b" not in drawn(calls)
        assert "another" in drawn(calls)
        assert heights_fit(calls)
        await pilot.press("home", "enter")
        await pilot.pause()
        assert heights_fit(calls)


async def test_a_note_of_several_lines_keeps_them(store: Store) -> None:
    add_note(store, "r", 0, "first line\nsecond")
    app = SandboxTui(load(), store, store.run("r"))
    async with app.run_test(size=(160, 45)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await until(pilot, lambda: screen.step_notes.all)
        assert "✎" not in screen.query_one(Timeline).render_line(0).text
        await pilot.press("0")
        await until(pilot, lambda: screen.shows(0))
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, PromptDialog))
        assert app.screen.query_one(Input).value == "first line␊second"
        await pilot.press(*" more", "enter")
        await until(pilot, lambda: written(store) == [(0, "first line\nsecond more")])


async def test_a_note_belongs_to_the_step_that_a_pending_jump_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_read = threading.Event()

    def slowly(store: Store, run_id: str, seq: int) -> PlaybackState:
        assert may_read.wait(10)
        return playback_state_at(store, run_id, seq)

    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        fill(store, "r", 6)
        app = SandboxTui(load(), store, store.run("r"))
        async with app.run_test(size=(160, 45)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
            screen = app.screen
            assert isinstance(screen, ReplayScreen)
            await pilot.press("0")
            await until(pilot, lambda: screen.shows(0))
            monkeypatch.setattr(replay_loop, "playback_state_at", slowly)
            await pilot.press("right", "right", "w")
            may_read.set()
            await until(pilot, lambda: isinstance(app.screen, PromptDialog))
            await until(pilot, lambda: app.screen.query(Input))
            assert str(app.screen.query_one(Input).border_title) == "note on step 2"
            assert screen.state.step == 2
            await pilot.press(*"here", "enter")
            await until(pilot, lambda: written(store) == [(2, "here")])


async def test_a_note_stops_the_replay_at_its_step(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        fill(store, "r", 6)
        app = SandboxTui(load(), store, store.run("r"))
        async with app.run_test(size=(160, 45)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
            screen = app.screen
            assert isinstance(screen, ReplayScreen)
            await pilot.press("0")
            await until(pilot, lambda: screen.shows(0))
            await pilot.press("space")
            await until(pilot, lambda: screen.state.step >= 2)
            assert screen.words_for("play") == "pause"
            await pilot.press("w")
            await until(pilot, lambda: isinstance(app.screen, PromptDialog))
            assert screen.words_for("play") is None
            title = str(app.screen.query_one(Input).border_title)
            assert title == f"note on step {screen.state.step}"
