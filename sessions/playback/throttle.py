"""Throttles work in a thread, so that the screen stays responsive."""

from __future__ import annotations

import threading
import time

SLICE_SECONDS = 0.004
"""Seconds of uninterrupted work."""

MAX_REST_SECONDS = 0.1
"""Maximum length of one rest: a longer interval was idle time, not work."""


class Throttle:
    """Makes a thread work in short slices; passed as `should_continue`.

    Args:
        rest: seconds of rest for each second of work.
    """

    def __init__(self, rest: float = 1.0) -> None:
        self._rest = rest
        self._stopped = threading.Event()
        self._since = time.perf_counter()

    def stop(self) -> None:
        """End the work at once."""
        self._stopped.set()

    def __call__(self) -> bool:
        """Return whether to continue; rests first if a rest is due."""
        worked = time.perf_counter() - self._since
        if worked > SLICE_SECONDS:
            self._stopped.wait(min(worked * self._rest, MAX_REST_SECONDS))
            self._since = time.perf_counter()
        return not self._stopped.is_set()
