"""Reads the events of a session, which may still be growing, a page at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from itertools import islice

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.store.store import Store

PAGE_EVENTS = 500
"""Number of events read at a time."""


async def stored_events(
    store: Store, run_id: str, after: int, until: int | None = None, *, output: bool = True
) -> AsyncGenerator[e.AnyEvent]:
    """Yield events with `after` < seq <= `until`, including those stored in the meantime.

    Without `output`, the bytes of terminal output are left out.

    Raises:
        StoreError: the database cannot be read.
        EventDecodeError: an event was written by a newer version.
    """
    while True:
        page = await asyncio.to_thread(_page, store, run_id, after, until, output)
        for event in page:
            yield event
            after = event.seq
        if len(page) < PAGE_EVENTS:
            return


def _page(
    store: Store, run_id: str, after: int, until: int | None, output: bool
) -> list[e.AnyEvent]:
    events = store.events(run_id, after=after, until=until, output=output)
    return list(islice(events, PAGE_EVENTS))
