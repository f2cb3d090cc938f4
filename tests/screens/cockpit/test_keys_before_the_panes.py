"""Keys that are pressed in an opened run before its panes show what is known of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot
from typing_extensions import override

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.human.run_controls import Controls
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.protocol import Status
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.available_actions import why_key_is_disabled
from sandbox_tui.tui.keys.key_sequencer import BURST_SECONDS
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.not_shown_yet import BEING_READ
from sandbox_tui.tui.widgets.key_bar import KeyBar
from tests.screens.cockpit.test_approving import BASH, controls, waiting
from tests.screens.cockpit.test_outdated_notices import notices
from tests.unit.sample_run import keep, sample
from tests.waiting import until

BEING_READ_SENTENCE = f"{BEING_READ[:1].upper()}{BEING_READ[1:]}."


class LateClient(RunClient):
    """A run in another program whose events the screen gets once `released` is set."""

    events: list[e.AnyEvent]
    controls: Controls | None = None

    def connected(self, events: list[e.AnyEvent], controls: Controls | None) -> None:
        self.events, self.controls = events, controls
        self.released = asyncio.Event()
        self._status = Status(seq=len(events), steers=True, watchers=1, ready=True)
        self._connected.set()

    @property
    @override
    def run(self) -> Controls | None:
        return self.controls

    @property
    @override
    def steers(self) -> bool:
        return self._status.steers

    @override
    async def watch(self) -> AsyncGenerator[e.AnyEvent]:
        await self.released.wait()
        for event in self.events:
            self._fold(event)
            yield event
        await self.ended.wait()


def numbered(events: Any) -> list[e.AnyEvent]:
    return [replace_seq(event, seq) for seq, event in enumerate(events, start=1)]


def replace_seq(event: Any, seq: int) -> Any:
    return msgspec.structs.replace(event, seq=seq)


@asynccontextmanager
async def opened(
    tmp_path: Path,
    events: list[e.AnyEvent],
    decisions: list[tuple[Any, ...]],
    *,
    known: bool = True,
    waits: bool = True,
) -> AsyncIterator[tuple[SandboxTui, Pilot[int], LateClient]]:
    """Open a run whose events the wall below knows, if they are `known`, but the screen not yet."""
    store = Store(tmp_path / "s.db")
    keep(store, *sample("count"))
    client = LateClient(replace(store.run("r"), waits=waits, outcome="running"), store)
    app = SandboxTui(load(), store)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        client.connected(events, controls(decisions))
        for event in events if known else ():
            client.state.apply(event)
        await app.push_screen(LiveScreen(client, store))
        yield app, pilot, client
    store.close()


@pytest.mark.parametrize("key", ["a", "e", "r", "A", "S", "Y"])
@pytest.mark.parametrize(("known", "call"), [(True, "Call 1"), (False, "The call")])
async def test_a_call_that_is_not_shown_yet_is_not_said_not_to_wait(
    tmp_path: Path, key: str, known: bool, call: str
) -> None:
    decisions: list[tuple[Any, ...]] = []
    events = numbered(waiting(BASH, command="ls"))
    async with opened(tmp_path, events, decisions, known=known) as (app, pilot, client):
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        assert {"a", "e", "r"}.isdisjoint(k.key for k in screen.query_one(KeyBar).keys_shown)
        await pilot.press(key)
        words = f"{call} was not shown yet when you pressed the key: nothing was decided."
        await until(pilot, lambda: notices(app) == [words])
        client.released.set()
        await until(pilot, lambda: screen._drawn_call.shows(screen.state.pending))
        assert app.screen is screen
        assert not decisions
        assert notices(app) == [words]
        await asyncio.sleep(BURST_SECONDS)  # what follows a key that opens an input is ignored
        await pilot.press("a")
        await until(pilot, lambda: decisions == [("approve", 1)])
        assert notices(app) == [], "the refusal is not about the key that decided"


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("W", BEING_READ_SENTENCE),
        ("u", "Nothing is queued for the model."),
        ("R", "The reply is complete, and its call waits for you."),
        *((key, "") for key in ("space", "x", "i", "m", "M")),
    ],
)
async def test_no_other_key_is_refused_for_an_untrue_reason(
    tmp_path: Path, key: str, words: str
) -> None:
    events = numbered(waiting(BASH, command="ls"))
    async with opened(tmp_path, events, []) as (app, _, _client):
        assert why_key_is_disabled(app.screen, key) == words


async def test_a_key_that_comes_before_the_connection_is_not_said_to_need_control(
    tmp_path: Path,
) -> None:
    events = numbered(waiting(BASH, command="ls"))
    async with opened(tmp_path, events, [], known=False) as (app, _, client):
        client._connected.clear()
        client._status = Status(seq=0, steers=False, watchers=1)
        client.controls = None
        for key in ("space", "x", "i", "m"):
            assert why_key_is_disabled(app.screen, key) == BEING_READ_SENTENCE


async def test_a_run_that_has_ended_is_not_said_to_go_on(tmp_path: Path) -> None:
    ended = e.RunFinished(t=2.0, reason="submitted", error=None, totals=e.Totals())
    events = numbered([*waiting(BASH, command="ls"), ended])
    async with opened(tmp_path, events, [], waits=False) as (app, _, _client):
        for key, words in {"F": BEING_READ_SENTENCE, "a": "This run has ended."}.items():
            assert why_key_is_disabled(app.screen, key) == words
