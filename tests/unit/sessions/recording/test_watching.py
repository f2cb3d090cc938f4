"""Watchers of a run see all events, however late they start, read a page at a time."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunWorker, Store, replay
from sandbox_tui.sessions.recording.event_feed import MAX_LAG, EventFeed
from sandbox_tui.sessions.store.tables import event_pages
from tests.unit.event_streams import started

COUNT = 4 * event_pages.PAGE_EVENTS + 7


def events(first: int, last: int) -> list[e.AnyEvent]:
    found: list[e.AnyEvent] = [] if first > 1 else [started()]
    found += [
        e.TerminalOutput(seq=n, t=float(n), terminal="model", data=b"%d" % n)
        for n in range(max(2, first), last + 1)
    ]
    return found


class Recording(RunWorker):
    """A worker that receives its events from the test instead of a run."""

    async def tell(self, told: list[e.AnyEvent]) -> None:
        self._store.append(self.run_id, told)
        for event in told:
            await self._show(event)

    async def end(self) -> None:
        self.ended.set()
        self._feed.end()


def recording(store: Store) -> Recording:
    return Recording(RunRequest(task="x", settings=load({})), store, "r")


async def test_a_late_watcher_sees_all_events_page_by_page(store: Store) -> None:
    worker = recording(store)
    await worker.tell(events(1, COUNT))
    seen: list[int] = []
    most = 0
    watching = worker.watch()
    async for event in watching:
        seen.append(event.seq)
        if event.seq == COUNT // 2:
            most = sum(isinstance(one, e.TerminalOutput) for one in gc.get_objects())
            await worker.tell(events(COUNT + 1, COUNT + 3))  # events that arrive meanwhile
        if event.seq == COUNT + 3:
            await worker.tell(events(COUNT + 4, COUNT + 4))
        if event.seq == COUNT + 4:
            await worker.end()
    assert seen == list(range(1, COUNT + 5))
    assert most < 2 * event_pages.PAGE_EVENTS
    assert [event.seq async for event in worker.watch()] == seen, "also of one that is over"


async def test_inherited_events_are_shown_before_new_ones(store: Store) -> None:
    """A watcher that starts first, and a run that continues from stored events."""
    worker = recording(store)
    shown: list[e.AnyEvent] = []
    watching = asyncio.create_task(_into(shown, worker.watch()))
    while not worker._feed.watchers:
        await asyncio.sleep(0)
    store.append("r", events(1, COUNT))
    for event in events(1, COUNT):
        worker.state.apply(event)
    await worker.tell(events(COUNT + 1, COUNT + 1))
    await worker.end()
    await watching
    assert shown == list(replay(store, "r"))


async def _into(shown: list[e.AnyEvent], events: AsyncIterator[e.AnyEvent]) -> None:
    async for event in events:
        shown.append(event)


def test_events_without_what_terminals_printed(store: Store) -> None:
    store.append("r", events(1, 3))
    _, second, third = store.events("r", output=False)
    assert isinstance(second, e.TerminalOutput)
    assert (second.data, second.seq, third.seq) == (b"", 2, 3)


async def test_a_watcher_that_is_behind_holds_the_run_back_until_it_reads_or_leaves(
    store: Store,
) -> None:
    worker = recording(store)
    watching = worker.watch()
    first = asyncio.ensure_future(anext(watching))
    while not worker._feed.watchers:
        await asyncio.sleep(0)
    told = asyncio.ensure_future(worker.tell(events(1, 3 * MAX_LAG)))
    assert (await first).seq == 1
    await stands_still(told)
    assert worker.state.seq == MAX_LAG + 1, "the first event is not done with"
    for seq in range(2, MAX_LAG):
        assert (await anext(watching)).seq == seq
    await stands_still(told)
    assert worker.state.seq == 2 * MAX_LAG - 1
    await watching.aclose()
    await told
    assert worker.state.seq == 3 * MAX_LAG


async def stands_still(task: asyncio.Future[None]) -> None:
    """Assert that the task still waits after the loop has run everything else."""
    for _ in range(10 * MAX_LAG):
        await asyncio.sleep(0)
    assert not task.done()


async def test_a_feed_that_only_hears_how_far_the_record_is(store: Store) -> None:
    """The feed of a program that watches a run of another program."""
    feed = EventFeed(store, "r")
    shown: list[e.AnyEvent] = []
    watching = [asyncio.create_task(_into(shown, feed.watch())) for _ in range(2)]
    store.append("r", events(1, 5))
    feed.advance(3)
    while len(shown) < 6:
        await asyncio.sleep(0.001)
    assert max(event.seq for event in shown) == 3
    feed.end()
    await asyncio.gather(*watching)
    assert sorted(event.seq for event in shown) == [n for n in range(1, 6) for _ in range(2)]
