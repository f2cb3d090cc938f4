"""How CPU time grows with the input, as a ratio that does not depend on the machine's load."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

ATTEMPTS = 3
"""Measurements per size. The minimum counts: a busy machine only ever makes work slower."""


def assert_growth(work: Callable[[int], object], small: int, large: int, *, below: float) -> None:
    """Assert that `work(large)` takes less than `below` times the CPU time of `work(small)`.

    Raises:
        AssertionError: every attempt takes longer.
    """
    base = min(_cost(work, small) for _ in range(ATTEMPTS))
    times: list[float] = []
    for _ in range(ATTEMPTS):
        times.append(_cost(work, large) / base)
        if times[-1] < below:
            return
    raise AssertionError(f"{large / small:g} times the input takes {times} times as long")


def _cost(work: Callable[[int], object], size: int) -> float:
    """Return the CPU seconds that `work(size)` takes, at least the resolution of the clock."""
    with _no_collection():
        began = time.process_time()
        work(size)
        return max(time.process_time() - began, 0.005)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Disable the garbage collector, whose cost grows with what other tests have left in memory."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Work:
    """Counts the executed lines of Python; the count is the same on every machine."""

    def __init__(self) -> None:
        self.lines = 0

    def __enter__(self) -> Work:
        sys.settrace(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _count(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
        self.lines += event == "line"
        return self._count
