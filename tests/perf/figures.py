"""Benchmark results: ours next to theirs, their ratio, and the target for the ratio."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One row of a table.

    Attributes:
        name: what was measured.
        ours, theirs: formatted values with units; theirs is empty without a comparison.
        ratio: how many times better ours is; None without a comparison.
        target: minimum acceptable ratio; None if none was set.
        met: whether the target is met.
    """

    name: str
    ours: str
    theirs: str = ""
    ratio: float | None = None
    target: float | None = None
    met: bool = True

    @classmethod
    def less(
        cls, name: str, ours: float, theirs: float, target: float, show: Callable[[float], str]
    ) -> Figure:
        """Build a figure for which less is better, such as seconds."""
        ratio = theirs / ours
        return cls(
            name=name,
            ours=show(ours),
            theirs=show(theirs),
            ratio=ratio,
            target=target,
            met=ratio >= target,
        )

    @classmethod
    def bound(cls, name: str, value: float, most: float, show: Callable[[float], str]) -> Figure:
        """Build a figure for ours alone, which must not exceed a bound."""
        formatted = f"{show(value)} (at most {show(most)})"
        return cls(name=name, ours=formatted, met=value <= most)


@dataclass(slots=True, kw_only=True)
class Section:
    """The results of one benchmark.

    Attributes:
        title: heading of the section.
        words: what was measured and how, for the reader.
        figures: rows of the table.
        missing: why parts could not be measured, a sentence each.
    """

    title: str
    words: str
    figures: list[Figure] = field(default_factory=list[Figure])
    missing: list[str] = field(default_factory=list[str])

    def as_builtins(self) -> dict[str, Any]:
        """Convert to a JSON-compatible dict."""
        return asdict(self)


def in_turns(
    ours: Callable[[], float], theirs: Callable[[], float], rounds: int
) -> tuple[list[float], list[float]]:
    """Measure both alternately (A B A B) after one warm-up round; return the values of each."""
    pairs = [(ours(), theirs()) for _ in range(rounds + 1)][1:]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def median(values: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(values)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that the given share of the values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def seconds_of(work: Callable[[], object]) -> float:
    """Return the seconds that `work` takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def milliseconds(value: float) -> str:
    """Format a duration given in seconds: 0.42 ms, 17 ms, 1.8 s."""
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.2f} ms" if value < 0.01 else f"{value * 1e3:.0f} ms"


def megabytes(value: float) -> str:
    """Format bytes as megabytes."""
    return f"{value / 1e6:.1f} MB"
