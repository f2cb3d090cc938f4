"""A saved session yields exactly the events seen live, at once or at their original pace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Player, Store, record, replay
from tests.unit.event_streams import started, streams


def fill(store: Store, times: list[float]) -> list[e.AnyEvent]:
    """Store a session with a warning at each of these times."""
    events: list[e.AnyEvent] = [started()]
    events += [e.Warned(seq=n, t=t, text=str(n)) for n, t in enumerate(times, 2)]
    store.append("r", events)
    return events


async def source(events: list[e.AnyEvent]) -> AsyncIterator[e.AnyEvent]:
    for event in events:
        yield event


@settings(max_examples=25, deadline=None)
@given(streams())
def test_replayed_is_what_was_seen_live(events: list[e.AnyEvent]) -> None:
    async def watch(store: Store) -> list[e.AnyEvent]:
        return [event async for event in record(source(events), store, "r")]

    with TemporaryDirectory() as folder:
        store = Store(Path(folder) / "s.db")
        live = asyncio.run(watch(store))
        assert list(replay(store, "r")) == live == events
        store.close()


def test_a_session_that_is_not_there(store: Store) -> None:
    with pytest.raises(StoreError, match="no session"):
        replay(store, "nothing")
    with pytest.raises(StoreError, match="no session"):
        Player(store, "nothing")


async def test_playing_keeps_the_order_and_the_pace(store: Store) -> None:
    events = fill(store, [0.4, 0.8, 1.2])
    began = time.monotonic()
    assert [event async for event in Player(store, "r", speed=4.0).play()] == events
    assert time.monotonic() - began >= 0.29


async def test_idle_time_is_cut_short(store: Store) -> None:
    events = fill(store, [3600.0, 7200.0])
    async with asyncio.timeout(5):
        assert [x async for x in Player(store, "r", max_idle=0.01).play()] == events


async def test_playing_continues_after_the_event_that_was_sought(store: Store) -> None:
    fill(store, [0.0] * 900)
    player = Player(store, "r", speed=1000.0)
    seen: list[int] = []
    async for event in player.play():
        seen.append(event.seq)
        if event.seq == 5:
            player.seek(700)
        elif event.seq == 702 and seen.count(702) == 1:
            player.seek(2)
    assert seen == [1, 2, 3, 4, 5, 701, 702, *range(3, 6), 701, 702, *range(703, 902)]
    assert player.position == 901


async def test_seeking_ends_a_pause(store: Store) -> None:
    fill(store, [3600.0, 3600.0, 3600.0])
    player = Player(store, "r", max_idle=3600.0)
    playing = player.play()
    assert (await anext(playing)).seq == 1
    waiting = asyncio.ensure_future(anext(playing))
    while not waiting.done():
        await asyncio.sleep(0.01)
        player.seek(3)
    assert (await waiting).seq == 4
    await playing.aclose()
