"""Quantities with units, and the sentences that state them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sandbox_tui.core.evals.pocket.draw import Draw

Units = tuple[tuple[str, float], ...]
"""Units in which to state a quantity, each with its value in SI units."""

LENGTH: Units = (("m", 1.0), ("cm", 0.01), ("ft", 0.3048))
SHORT: Units = (("cm", 0.01), ("mm", 0.001), ("m", 1.0))
SPEED: Units = (("m/s", 1.0), ("km/h", 1 / 3.6), ("mph", 0.44704))
MASS: Units = (("kg", 1.0), ("g", 0.001), ("lb", 0.45359237))
TIME: Units = (("s", 1.0), ("min", 60.0), ("ms", 0.001))
PRESSURE: Units = (("kPa", 1e3), ("bar", 1e5), ("atm", 101_325.0))
VOLUME: Units = (("L", 1e-3), ("m³", 1.0), ("mL", 1e-6))


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity as a problem states it.

    Attributes:
        text: number and unit.
        si: value in SI units, computed from the number in `text`.
    """

    text: str
    si: float

    def __str__(self) -> str:
        return self.text


def plain(value: float, figures: int = 4) -> str:
    """Return a number with this many significant figures, without an exponent."""
    places = figures - 1 - math.floor(math.log10(abs(value))) if value else 0
    return f"{round(value, places):.{max(0, places)}f}"


def quantity(draw: Draw, low: float, high: float, units: Units, figures: int = 3) -> Quantity:
    """Return a quantity from `low` to `high` (in SI units), stated in one of the units."""
    unit, scale = draw.one_of(units)
    number = plain(draw.real(low, high) / scale, figures)
    return Quantity(f"{number} {unit}", float(number) * scale)


def temperature(draw: Draw, low: float, high: float) -> Quantity:
    """Return a temperature from `low` to `high` in °C; its `si` is in kelvin."""
    celsius = draw.real(low, high)
    if draw.chance(0.3):
        number = f"{celsius + 273.15:.1f}"
        return Quantity(f"{number} K", float(number))
    if draw.chance(0.2):
        number = f"{celsius * 1.8 + 32:.1f}"
        return Quantity(f"{number} °F", (float(number) - 32) / 1.8 + 273.15)
    number = f"{celsius:.1f}"
    return Quantity(f"{number} °C", float(number) + 273.15)


def tell(
    draw: Draw, facts: Sequence[str | Sequence[str]], asides: Sequence[str], ask: Sequence[str]
) -> str:
    """Combine facts, sometimes an aside, and the question, picking one wording of each.

    Args:
        facts: sentences, each with one or several wordings. Those that start with `<` come first,
            those that start with `>` last, in the given order; the others in any order.
        asides: sentences that are irrelevant to the answer.
        ask: wordings of the question.
    """
    sentences = [draw.one_of(fact) if not isinstance(fact, str) else fact for fact in facts]
    first, last = ([fact[1:] for fact in sentences if fact.startswith(mark)] for mark in "<>")
    sentences = [*first, *draw.shuffled([fact for fact in sentences if fact[0] not in "<>"]), *last]
    if asides and draw.chance(0.6):
        sentences.insert(draw.integer(0, len(sentences)), draw.one_of(asides))
    return " ".join([*sentences, draw.one_of(ask)])
