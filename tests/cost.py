"""How the work of the processor grows with the input: a ratio, whatever else the machine does."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any


def growth(work: Callable[[int], object], small: int, large: int) -> float:
    """How many times as much processor time `work(large)` takes as `work(small)`."""
    return _cost(work, large) / _cost(work, small)


def _cost(work: Callable[[int], object], size: int) -> float:
    """The least of three, in seconds of the processor; never less than its clock can tell."""
    costs: list[float] = []
    for _ in range(3):
        began = time.process_time()
        work(size)
        costs.append(time.process_time() - began)
    return max(min(costs), 0.005)


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
