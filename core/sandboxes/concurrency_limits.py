"""Limits how many sandboxes of one provider start, list their files or close at once.

Hundreds of sandboxes are idle most of the time, and then all start, list files or close at once.
Each of these operations takes several processes. Too many in parallel compete for the CPU with each
other and with the screen, and none finishes any sooner.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field

MAX_AT_ONCE = min(8, 2 * (os.cpu_count() or 1))
"""Maximum number of parallel starts, listings or removals: enough to keep all CPUs busy."""

Limit = AbstractAsyncContextManager[object]
"""Held while a sandbox performs the limited operation."""


@dataclass(slots=True)
class ConcurrencyLimits:
    """The limits of one provider's sandboxes; without arguments there are none.

    Attributes:
        start: held while a sandbox starts.
        listing: held while its files are listed.
        removal: held while it is removed.
    """

    start: Limit = field(default_factory=nullcontext)
    listing: Limit = field(default_factory=nullcontext)
    removal: Limit = field(default_factory=nullcontext)

    @classmethod
    def of(cls, at_once: int) -> ConcurrencyLimits:
        """Return limits that let this many sandboxes perform each operation at once."""
        return cls(*(asyncio.Semaphore(at_once) for _ in range(3)))
