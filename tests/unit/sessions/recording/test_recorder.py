"""Stored before shown: no event is yielded before it is in the database."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store, record
from sandbox_tui.sessions.recording.recorder import MAX_BATCH
from tests.unit.event_streams import started, streams


async def source(events: list[e.AnyEvent]) -> AsyncIterator[e.AnyEvent]:
    for event in events:
        await asyncio.sleep(0)
        yield event


async def watch(events: AsyncIterator[e.AnyEvent], seen: list[int]) -> None:
    """Collect the numbers of events as they arrive, so that they survive a failure."""
    async for event in events:
        seen.append(event.seq)


@settings(max_examples=25, deadline=None)
@given(streams())
def test_each_event_is_in_the_file_when_it_is_seen(
    tmp_path_factory: pytest.TempPathFactory, events: list[e.AnyEvent]
) -> None:
    path = tmp_path_factory.mktemp("rec") / "s.db"

    async def go() -> None:
        store, reader = Store(path), Store(path)
        seen: list[e.AnyEvent] = []
        async for event in record(source(events), store, "r"):
            seen.append(event)
            assert [x.seq for x in reader.events("r", after=event.seq - 1)][:1] == [event.seq]
        assert seen == events
        store.close()
        reader.close()

    asyncio.run(go())


async def test_a_store_that_fails_ends_the_run_and_shows_nothing_more(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    closed = asyncio.Event()

    async def endless() -> AsyncIterator[e.AnyEvent]:
        try:
            yield started()
            yield e.Warned(seq=2, t=0, text="fine")
            yield e.Warned(seq=2, t=0, text="the same number again cannot be stored")
            await asyncio.Event().wait()
        finally:
            closed.set()

    seen: list[int] = []
    with pytest.raises(StoreError):
        await watch(record(endless(), store, "r"), seen)
    await asyncio.wait_for(closed.wait(), 5)
    assert seen == [event.seq for event in store.events("r")]
    store.close()


async def test_what_the_run_raises_reaches_the_watcher(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")

    async def broken() -> AsyncIterator[e.AnyEvent]:
        yield started()
        raise RuntimeError("boom")

    seen: list[int] = []
    with pytest.raises(RuntimeError, match="boom"):
        await watch(record(broken(), store, "r"), seen)
    assert seen == [1]
    store.close()


async def test_a_watcher_that_leaves_ends_the_run(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    closed = asyncio.Event()

    async def endless() -> AsyncIterator[e.AnyEvent]:
        try:
            yield started()
            await asyncio.Event().wait()
        finally:
            closed.set()

    watching = record(endless(), store, "r")
    assert (await anext(watching)).seq == 1
    await watching.aclose()
    await asyncio.wait_for(closed.wait(), 5)
    store.close()


async def flood(taken: list[int]) -> AsyncIterator[e.AnyEvent]:
    """Yield a million events as fast as they are consumed, and log what was consumed."""
    taken.append(1)
    yield started()
    for seq in range(2, 1_000_000):
        taken.append(seq)
        yield e.Warned(seq=seq, t=0.0, text="x")


async def test_a_watcher_that_leaves_loses_nothing_that_was_taken(tmp_path: Path) -> None:
    store, taken = Store(tmp_path / "s.db"), []
    watching = record(flood(taken), store, "r")
    for _ in range(3):
        await anext(watching)
    await watching.aclose()
    assert [event.seq for event in store.events("r")] == taken
    store.close()


@pytest.mark.parametrize("turns", [1, 5, 20, 60, 200])
async def test_cancelling_at_any_moment_leaves_no_hole(tmp_path: Path, turns: int) -> None:
    store, taken, seen = Store(tmp_path / "s.db"), [], []

    async def watching() -> None:
        events = record(flood(taken), store, "r")
        async with contextlib.aclosing(events):
            await watch(events, seen)

    task = asyncio.create_task(watching())
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    stored = [event.seq for event in store.events("r")]
    assert stored == taken
    assert seen == stored[: len(seen)]
    store.close()


async def test_a_run_is_not_read_far_ahead_of_its_watcher(tmp_path: Path) -> None:
    store, taken = Store(tmp_path / "s.db"), []
    watching = record(flood(taken), store, "r")
    for seen in range(1, 1200):
        await anext(watching)
        await asyncio.sleep(0)
        assert len(taken) - seen <= 2 * MAX_BATCH
    await watching.aclose()
    store.close()


async def test_a_slow_disk_does_not_hold_up_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, release = Store(tmp_path / "s.db"), threading.Event()
    append = store.append

    def slow(run_id: str, events: list[e.AnyEvent]) -> None:
        release.wait(10)
        append(run_id, events)

    monkeypatch.setattr(store, "append", slow)
    watching = record(source([started()]), store, "r")
    first = asyncio.ensure_future(anext(watching))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not first.done()
    release.set()
    assert (await first).seq == 1
    assert [event async for event in watching] == []
    store.close()
