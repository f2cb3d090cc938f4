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

Limit = AbstractAsyncContextManager[object]
"""Held while a sandbox does what it limits."""


@dataclass(slots=True)
class ConcurrencyLimits:
    """The limits of one provider's sandboxes; without arguments there are none.

    Attributes:
        start: held while a sandbox starts.
        listing: while its files are listed.
        removal: while it is removed.
    """

    start: Limit = field(default_factory=nullcontext)
    listing: Limit = field(default_factory=nullcontext)
    removal: Limit = field(default_factory=nullcontext)

    @classmethod
    def of(cls, at_once: int) -> ConcurrencyLimits:
        """So many sandboxes at once do each."""
        return cls(*(asyncio.Semaphore(at_once) for _ in range(3)))
