"""Limits on what the sandboxes of one provider do at the same moment.

Hundreds of sandboxes wait for their models most of the time, and then want the same thing at once.
Each start, listing and removal takes several processes. Too many of them share the processors with
each other and with the screen, and none comes to its end any sooner.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field

MAX_CONCURRENT_STARTS = 8
MAX_CONCURRENT_LISTINGS = 8
MAX_CONCURRENT_REMOVALS = 8

Turn = AbstractAsyncContextManager[object]


@dataclass(slots=True)
class Turns:
    """Turns to be held while a sandbox does something; there is no limit on those that share none.

    Attributes:
        start: while it starts.
        listing: while its files are listed.
        removal: while it is removed.
    """

    start: Turn = field(default_factory=nullcontext)
    listing: Turn = field(default_factory=nullcontext)
    removal: Turn = field(default_factory=nullcontext)

    @classmethod
    def limited(cls, max_starts: int) -> Turns:
        """Turns for the sandboxes of one provider."""
        return cls(
            asyncio.Semaphore(max_starts),
            asyncio.Semaphore(MAX_CONCURRENT_LISTINGS),
            asyncio.Semaphore(MAX_CONCURRENT_REMOVALS),
        )
