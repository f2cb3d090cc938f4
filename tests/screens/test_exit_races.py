"""The program exits while a screen is being opened."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import pytest
from textual.app import ComposeResult
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import WorkerFailed

from sandbox_tui.tui.textual_support.exit_races import IgnoresLookupsAtExit
from sandbox_tui.tui.textual_support.private_api import is_closing
from tests.waiting import until


class Late(Screen[None]):
    """Queries a widget that does not exist."""

    def on_mount(self) -> None:
        self.query_one("#gone")


class ExitsFirst(IgnoresLookupsAtExit[int]):
    def on_mount(self) -> None:
        self.exit(7)
        self.push_screen(Late())


class GoesOn(IgnoresLookupsAtExit[int]):
    def on_mount(self) -> None:
        self.push_screen(Late())


async def test_a_lookup_that_fails_at_exit_changes_nothing() -> None:
    app = ExitsFirst()
    assert await app.run_async(headless=True) == 7
    assert app._exception is None


class WorkerExitsFirst(IgnoresLookupsAtExit[int]):
    def on_mount(self) -> None:
        self.run_worker(self.look())

    async def look(self) -> None:
        self.exit(7)
        self.query_one("#gone")


async def test_a_lookup_that_fails_in_a_worker_at_exit_changes_nothing() -> None:
    app = WorkerExitsFirst()
    assert await app.run_async(headless=True) == 7
    assert app._exception is None


class Reading(Screen[None]):
    """Its worker finishes what it reads, and shows it, while the screen loses its widgets."""

    def __init__(self, *, closes: bool) -> None:
        super().__init__()
        self.closes = closes
        self.is_done = False

    def on_mount(self) -> None:
        self.run_worker(self.read())

    async def read(self) -> None:
        if self.closes:
            self.dismiss()
            while not is_closing(self):
                await asyncio.sleep(0)
        self.is_done = True
        self.query_one("#gone")


async def test_a_lookup_that_fails_on_a_closing_screen_changes_nothing() -> None:
    async with GoesOnQuietly().run_test() as pilot:
        screen = Reading(closes=True)
        await pilot.app.push_screen(screen)
        await pilot.pause()
        assert screen.is_done
        assert screen not in pilot.app.screen_stack


async def test_a_lookup_that_fails_on_an_open_screen_is_a_bug() -> None:
    with pytest.raises(WorkerFailed, match="NoMatches"):
        async with GoesOnQuietly().run_test() as pilot:
            await pilot.app.push_screen(Reading(closes=False))
            await pilot.pause()


class Fitting(Screen[None]):
    """Looks at one of its widgets once it has been drawn again, as after a resize."""

    def __init__(self, *, closes: bool) -> None:
        super().__init__()
        self.closes = closes
        self.is_done = False

    def on_mount(self) -> None:
        self.call_after_refresh(self.fit)

    async def fit(self) -> None:
        if self.closes:
            self.dismiss()
            while not is_closing(self):
                await asyncio.sleep(0)
        self.is_done = True
        self.query_one("#gone")


async def test_a_lookup_after_a_refresh_that_fails_on_a_closing_screen_changes_nothing() -> None:
    async with GoesOnQuietly().run_test() as pilot:
        screen = Fitting(closes=True)
        await pilot.app.push_screen(screen)
        await until(pilot, lambda: screen.is_done)
        await pilot.pause()
        assert screen not in pilot.app.screen_stack


async def test_a_lookup_after_a_refresh_that_fails_on_an_open_screen_is_a_bug() -> None:
    with pytest.raises(NoMatches):
        async with GoesOnQuietly().run_test() as pilot:
            await pilot.app.push_screen(Fitting(closes=False))
            await pilot.pause()


class Watching(Screen[None]):
    """Records whether it is closing when its last child is unmounted."""

    closing: ClassVar[list[bool]] = []

    def compose(self) -> ComposeResult:
        yield Going()


class Going(Static):
    def on_unmount(self) -> None:
        Watching.closing.append(is_closing(self.screen))


async def test_a_screen_that_is_popped_is_closing() -> None:
    Watching.closing.clear()
    async with GoesOnQuietly().run_test() as pilot:
        screen = Watching()
        await pilot.app.push_screen(screen)
        assert not is_closing(screen)
        await pilot.app.pop_screen()
    assert Watching.closing == [True]


class GoesOnQuietly(IgnoresLookupsAtExit[int]):
    """The app without any screen."""


async def test_any_other_lookup_that_fails_is_a_bug() -> None:
    with pytest.raises(NoMatches):
        async with GoesOn().run_test() as pilot:
            await pilot.pause()
