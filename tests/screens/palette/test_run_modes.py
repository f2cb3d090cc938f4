"""The palette in a run: a mode is chosen at once, without its menu."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from tests.screens.cockpit.test_approving import controls, waiting
from tests.screens.palette.test_evaluations import first_of
from tests.snapshots.watched_run import WatchedRun
from tests.waiting import until


def chosen_modes(watched: WatchedRun) -> list[e.Mode]:
    """Give a run controls that note the modes chosen for it."""
    modes: list[e.Mode] = []
    run: Any = controls([])
    assert isinstance(run, SimpleNamespace)
    run.choose_mode = modes.append
    watched.run = run
    return modes


@pytest.mark.parametrize(
    ("typed", "mode"),
    [
        ("ask mode", "ask"),
        ("mode ask", "ask"),
        ("mode: step", "step"),
        ("step mode", "step"),
        ("manual", "step"),
    ],
)
async def test_a_mode_is_chosen(store: Store, own_home: Path, typed: str, mode: e.Mode) -> None:
    app = SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)
    watched = WatchedRun(waiting("execute_bash", command="ls"))
    modes = chosen_modes(watched)
    async with app.run_test(size=(100, 30)) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.pending)
        entry = await first_of(app, pilot, typed)
        assert (entry.words, entry.off) == (f"Mode: {mode}", "")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and modes == [mode])


async def test_the_mode_of_now_cannot_be_chosen(store: Store, own_home: Path) -> None:
    app = SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)
    watched = WatchedRun(waiting("execute_bash", command="ls"))
    modes = chosen_modes(watched)
    async with app.run_test(size=(100, 30)) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.pending)
        await first_of(app, pilot, "mode ask")
        app.screen.query_one(Input).value = "mode: auto"
        await pilot.pause()
        entries = app.screen.query_one(EntryList)
        assert "Mode: auto" in entries.rows
        entries.cursor = entries.rows.index("Mode: auto")
        found = entries.current
        assert found is not None
        assert (found.off, modes) == ("it is the mode now", [])


async def test_what_has_changed_since_the_palette_was_opened_is_known(
    store: Store, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)
    watched = WatchedRun(waiting("execute_bash", command="ls"))
    chosen_modes(watched)
    async with app.run_test(size=(100, 30)) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.pending)
        assert (await first_of(app, pilot, "approve")).words == "Approve the call"
        monkeypatch.setattr(screen, "why_unavailable", lambda *given: "it has changed")
        app.screen.query_one(Input).value = "approve the call"
        await pilot.pause()
        first = app.screen.query_one(EntryList).first
        assert first is not None
        assert (first.words, first.off) == ("Approve the call", "it has changed")
        monkeypatch.undo()
        assert not (await first_of(app, pilot, "approve")).off
