"""Limits on what the sandboxes of one provider do at the same moment.

Hundreds of sandboxes wait for their models most of the time, and then want the same thing at once.
Each start, listing and removal takes several processes. Too many of them share the processors with
each other and with the screen, and none comes to its end any sooner.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field

MAX_AT_ONCE = min(8, 2 * (os.cpu_count() or 1))
"""Starts, listings or removals at the same time: enough to keep every processor busy."""

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
    def limited(cls, at_once: int) -> Turns:
        """Turns for the sandboxes of one provider: so many have one of each kind."""
        return cls(*(asyncio.Semaphore(at_once) for _ in range(3)))
