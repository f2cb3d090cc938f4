"""A run that goes on: it is opened at a match of a search, and replayed as far as it got."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from typing_extensions import override

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.search.across_sessions import search
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.replay.replay_position import position_of
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.widgets.calls.call_list import Calls
from tests.unit.sample_run import keep, sample
from tests.waiting import until


class GoesOn(RunClient):
    """A run that has not ended: all of its record is read but the last event."""

    @override
    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        for event in sample("zebra")[0][:-1]:
            yield event
        await asyncio.Event().wait()


async def test_a_match_in_a_running_session_is_shown_with_its_search(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        app = SandboxTui(load(), store)
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, HomeScreen))
            keep(store, *sample("zebra"))
            hit = next(hit for hit in search(store, "zebra") if hit.kind == "observation")
            run = replace(store.run("r"), outcome="running")
            home = app.screen
            assert isinstance(home, HomeScreen)
            home._opener.open_run(GoesOn(run, store), at=position_of(hit))
            await until(pilot, lambda: isinstance(app.screen, LiveScreen))
            await until(pilot, lambda: app.screen.query(Calls))
            calls = app.screen.query_one(Calls)
            await until(pilot, lambda: isinstance(calls.current, CallItem) and calls._search.words)
            assert isinstance(calls.current, CallItem)
            assert calls.current.finished is not None
            assert calls.current.finished.seq == hit.seq
            assert not calls.following
            here = calls.cursor
            assert calls.is_visible(here)
            await pilot.press("n")
            await until(pilot, lambda: calls.cursor != here)
            await pilot.press("end")
            await until(pilot, lambda: calls.following)


async def test_what_is_recorded_so_far_is_replayed_and_left_for_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        app = SandboxTui(load(), store)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            await until(pilot, lambda: isinstance(app.screen, HomeScreen))
            keep(store, *sample("zebra"))
            run = replace(store.run("r"), outcome="running")
            monkeypatch.setattr(store, "run", lambda _: run)
            live = LiveScreen(GoesOn(run, store), store, confirm_leave=False)
            await app.push_screen(live)
            await until(pilot, lambda: live.state.step and live.query(Calls))
            await pilot.press("V")
            await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
            said = [toast.message for toast in app._notifications]
            assert said == ["The run goes on; this is its recording so far."]
            await pilot.press("q")
            await until(pilot, lambda: app.screen is live)
