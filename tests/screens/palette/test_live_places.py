"""The palette in a run: its list of calls goes to a step or a call."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.items import CallItem, ReplyItem
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from sandbox_tui.tui.widgets.calls.call_list import WINDOW_ITEMS, Calls
from tests.perf.made_sessions import events_of
from tests.screens.cockpit.test_approving import controls
from tests.screens.palette.test_evaluations import first_of
from tests.snapshots.watched_run import WatchedRun
from tests.waiting import until

LAST = WINDOW_ITEMS * 2
"""Steps of the run: the list of calls has not loaded its first ones."""


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
@pytest.mark.parametrize("typed", ["call 2", "step 2"])
async def test_the_list_of_calls_goes_to_a_place(
    store: Store, own_home: Path, size: tuple[int, int], typed: str
) -> None:
    app = SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)
    events = events_of("r", LAST, random.Random(1))
    watched = WatchedRun([one for one in events if not isinstance(one, e.TerminalOpened)])
    watched.run = controls([])
    async with app.run_test(size=size) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.finished)
        calls = screen.query_one(Calls)
        await pilot.press("2")
        entry = await first_of(app, pilot, typed)
        assert (entry.words, entry.off) == (f"Go to {typed}", "")
        app.screen.query_one(Input).value = f"{typed}999"
        await pilot.pause()
        first = app.screen.query_one(EntryList).first
        assert first is not None
        assert (first.words, first.off) == (f"Go to {typed}999", f"the last {typed[:4]} is {LAST}")
        await first_of(app, pilot, typed)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and calls.has_focus)
        assert isinstance(calls.current, CallItem if typed == "call 2" else ReplyItem)
        assert calls.shows(calls.current)
        step = (
            calls.current.call.step if isinstance(calls.current, CallItem) else calls.current.step
        )
        assert step == 2
