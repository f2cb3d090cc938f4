"""Stored before shown: nothing is yielded that is not in the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from sandbox_tui.core import events as e
from sandbox_tui.core.errors import StoreError
from sandbox_tui.sessions import Store, record
from tests.unit.event_streams import started, streams


async def source(events: list[e.AnyEvent]) -> AsyncIterator[e.AnyEvent]:
    for event in events:
        await asyncio.sleep(0)
        yield event


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

    async def watch() -> None:
        async for event in record(endless(), store, "r"):
            seen.append(event.seq)

    with pytest.raises(StoreError):
        await watch()
    await asyncio.wait_for(closed.wait(), 5)
    assert seen == [event.seq for event in store.events("r")]
    store.close()


async def test_what_the_run_raises_reaches_the_watcher(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")

    async def broken() -> AsyncIterator[e.AnyEvent]:
        yield started()
        raise RuntimeError("boom")

    seen: list[int] = []

    async def watch() -> None:
        async for event in record(broken(), store, "r"):
            seen.append(event.seq)

    with pytest.raises(RuntimeError, match="boom"):
        await watch()
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
    await watching.aclose()  # type: ignore[attr-defined]
    await asyncio.wait_for(closed.wait(), 5)
    store.close()
