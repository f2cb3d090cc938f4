"""What a chart draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Axis = Literal["minutes", "steps"]
"""What the horizontal axis counts."""

Curve = tuple[list[float], list[float]]
"""Places on the horizontal axis, rising, and the value at each."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart.

    Attributes:
        title: of a few words.
        curves: by name.
        axis: what they go along.
        min_spread: between the lowest and the highest value shown: less would look like more than
            it is.
    """

    title: str
    curves: dict[str, Curve]
    axis: Axis = "minutes"
    min_spread: float = 1.0


Series = tuple[Chart, ...]
