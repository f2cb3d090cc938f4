"""Waits in tests drive the app on until something holds; how long that takes proves nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

SECONDS = 60.0
"""Longest wait, however busy the machine is."""


async def until(pilot: Pilot[Any], true: Callable[[], object]) -> None:
    """Let the app go on until `true()`.

    Raises:
        AssertionError: it has not become true within `SECONDS`.
    """
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline, f"still not true after {SECONDS:.0f} s"
        await pilot.pause(0.01)
