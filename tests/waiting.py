"""Waits in tests are for an event, never for a period: how long something takes proves nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

HANG_SECONDS = 240.0
"""Timeout of a wait, generous enough for a busy machine; exceeding it counts as a hang."""


async def until(pilot: Pilot[Any], true: Callable[[], object]) -> None:
    """Let the app run until `true()` holds.

    Raises:
        AssertionError: it does not hold within `HANG_SECONDS`.
    """
    deadline = time.monotonic() + HANG_SECONDS
    while not true():
        assert time.monotonic() < deadline, f"still not true after {HANG_SECONDS:.0f} s"
        await pilot.pause(0.01)
