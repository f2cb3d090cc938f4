"""The texts of a recording are indexed by one pass at a time, even if a pass is slow."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import cast

import pytest

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording import full_text_indexer
from sandbox_tui.sessions.recording.full_text_indexer import FullTextIndexer
from tests.unit.sessions.search.test_full_text_index import proposed
from tests.waiting import HANG_SECONDS

BATCH = [proposed(2, 1, "zebra")]

ROUNDS = 10
"""Rounds of the event loop and its threads, more than any sequence of callbacks here takes."""


class SlowIndex:
    """Stands in for a store: records when passes start and end, and blocks the first one."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.begun = threading.Event()
        self.released = threading.Event()
        self.again = threading.Event()
        self._passes = 0

    def index_texts(self) -> None:
        self._passes += 1
        number = self._passes
        self.log.append(f"{number} begins")
        if number == 1:
            self.begun.set()
            assert self.released.wait(HANG_SECONDS)
        self.log.append(f"{number} ends")
        if number > 1:
            self.again.set()


@pytest.fixture(autouse=True)
def passes_are_due_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full_text_indexer, "MAX_LATE_SECONDS", 0.0)


@asynccontextmanager
async def first_pass_running() -> AsyncIterator[tuple[SlowIndex, FullTextIndexer]]:
    """A writer whose first pass is blocked; one thread is free for anything else."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
    index = SlowIndex()
    writer = FullTextIndexer(cast(Store, index))
    writer.on_stored(BATCH)
    try:
        assert await asyncio.to_thread(index.begun.wait, HANG_SECONDS)
        yield index, writer
    finally:
        index.released.set()


async def everything_else() -> None:
    """Run everything that does not wait for the first pass: the free thread takes its jobs in
    order, and whatever is due starts before each of them.
    """
    for _ in range(ROUNDS):
        await asyncio.to_thread(lambda: None)


def test_a_pass_that_is_due_starts_after_the_one_that_runs() -> None:
    async def go() -> None:
        async with first_pass_running() as (index, writer):
            for _ in range(3):
                writer.on_stored(BATCH)
                await everything_else()
            assert index.log == ["1 begins"]
            index.released.set()
            assert await asyncio.to_thread(index.again.wait, HANG_SECONDS)
            await everything_else()
            assert index.log == ["1 begins", "1 ends", "2 begins", "2 ends"]
            await writer.close()
            assert len(index.log) == 4, "nothing was left to index"

    asyncio.run(go())


@pytest.mark.parametrize("is_due", [False, True])
def test_closing_waits_for_every_pass_and_indexes_the_rest(is_due: bool) -> None:
    async def go() -> None:
        async with first_pass_running() as (index, writer):
            writer.on_stored(BATCH)
            if is_due:
                await everything_else()
            closing = asyncio.create_task(writer.close())
            await everything_else()
            assert not closing.done(), "the store would be closed under the first pass"
            index.released.set()
            await closing
            assert index.log == ["1 begins", "1 ends", "2 begins", "2 ends"]
            await everything_else()
            assert len(index.log) == 4, "nothing starts by itself after closing"

    asyncio.run(go())
