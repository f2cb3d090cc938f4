"""The data of a chart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Axis = Literal["minutes", "steps"]
"""The quantity on the horizontal axis."""

Curve = tuple[list[float], list[float]]
"""Positions on the horizontal axis, ascending, and the value at each."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart.

    Attributes:
        title: a few words.
        curves: the curves by name.
        axis: the quantity on the horizontal axis.
        min_spread: minimum difference between the lowest and the highest value of the vertical
            axis, so that small changes do not look large.
        limits: the lowest and the highest value of the vertical axis; None: those of the curves.
    """

    title: str
    curves: dict[str, Curve]
    axis: Axis = "minutes"
    min_spread: float = 1.0
    limits: tuple[float, float] | None = None


Series = tuple[Chart, ...]
