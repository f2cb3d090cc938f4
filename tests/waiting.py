"""Waits in tests are for something that happens; how long that takes proves nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

HANG_SECONDS = 240.0
"""Longest wait, however busy the machine is: what has not happened by then counts as a hang."""


async def until(pilot: Pilot[Any], true: Callable[[], object]) -> None:
    """Let the app go on until `true()`.

    Raises:
        AssertionError: it has not become true within `HANG_SECONDS`.
    """
    deadline = time.monotonic() + HANG_SECONDS
    while not true():
        assert time.monotonic() < deadline, f"still not true after {HANG_SECONDS:.0f} s"
        await pilot.pause(0.01)
