"""Figures of a benchmark: ours beside theirs, the ratio, and the ratio we hold ourselves to."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of a table.

    Attributes:
        name: what was measured.
        ours, theirs: in words, with units; theirs is empty where there is nobody to compare with.
        ratio: how many times better ours is; None without a comparison.
        target: the least ratio that is good enough; None: none was set.
        met: whether it is good enough.
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
        """Of which less is better, such as seconds."""
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
        """Of ours alone, which has to stay below a bound."""
        said = f"{show(value)} (at most {show(most)})"
        return cls(name=name, ours=said, met=value <= most)


@dataclass(slots=True, kw_only=True)
class Section:
    """What one benchmark found.

    Attributes:
        title: of the section.
        words: what was done, for the reader.
        figures: the table.
        missing: why a part could not be measured, a sentence each.
    """

    title: str
    words: str
    figures: list[Figure] = field(default_factory=list[Figure])
    missing: list[str] = field(default_factory=list[str])

    def as_builtins(self) -> dict[str, Any]:
        """For a JSON file."""
        return asdict(self)


def in_turns(
    ours: Callable[[], float], theirs: Callable[[], float], rounds: int
) -> tuple[list[float], list[float]]:
    """What each returns, taken A B A B after one round that does not count."""
    pairs = [(ours(), theirs()) for _ in range(rounds + 1)][1:]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def median(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


def quantile(values: Sequence[float], share: float) -> float:
    """The value that this share of them does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def seconds_of(work: Callable[[], object]) -> float:
    """Seconds that `work` takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def milliseconds(value: float) -> str:
    """A duration in seconds, in words: 0.42 ms, 17 ms, 1.8 s."""
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.2f} ms" if value < 0.01 else f"{value * 1e3:.0f} ms"


def megabytes(value: float) -> str:
    """Bytes as megabytes."""
    return f"{value / 1e6:.1f} MB"
