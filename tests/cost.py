"""How the work of the processor grows with the input: a ratio, whatever else the machine does."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

ATTEMPTS = 3
"""Measurements of one size; the least counts, for a busy machine makes work dearer, never cheaper."""


def assert_growth(work: Callable[[int], object], small: int, large: int, *, below: float) -> None:
    """Assert that `work(large)` takes less than `below` times the processor time of `work(small)`.

    Raises:
        AssertionError: it takes more, each time it is measured.
    """
    base = min(_cost(work, small) for _ in range(ATTEMPTS))
    times: list[float] = []
    for _ in range(ATTEMPTS):
        times.append(_cost(work, large) / base)
        if times[-1] < below:
            return
    raise AssertionError(f"{large / small:g} times the input takes {times} times as long")


def _cost(work: Callable[[int], object], size: int) -> float:
    """Seconds of the processor; never less than its clock can tell."""
    with _no_collection():
        began = time.process_time()
        work(size)
        return max(time.process_time() - began, 0.005)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the garbage collector, whose work grows with all that other tests have left behind."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Work:
    """Counts the lines of Python that run, which is the same on every machine."""

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
