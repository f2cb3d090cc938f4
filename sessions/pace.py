"""Work in a thread that leaves the screen its turn."""

from __future__ import annotations

import threading
import time

SLICE = 0.004
"""Seconds of work in a row, after which the thread rests as long: the screen goes first."""


LONGEST_REST = 0.1
"""Seconds; what is longer than that was no work, but a time in which there was none."""


class Pace:
    """Lets a thread work in short slices; see `keyframes.catch_up`.

    Args:
        rest: seconds of rest for each second of work.
    """

    def __init__(self, rest: float = 1.0) -> None:
        self._rest = rest
        self._stopped = threading.Event()
        self._since = time.perf_counter()

    def stop(self) -> None:
        """Let it end, at once."""
        self._stopped.set()

    def __call__(self) -> bool:
        """Whether to go on; returns after a rest where one is due."""
        worked = time.perf_counter() - self._since
        if worked > SLICE:
            self._stopped.wait(min(worked * self._rest, LONGEST_REST))
            self._since = time.perf_counter()
        return not self._stopped.is_set()
