"""Tasks of pocket for several seeds, generated once, and helpers for solvers that read them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from decimal import Decimal

from sandbox_tui.core.evals.pocket.suite import families_of, pocket_tasks
from sandbox_tui.core.evals.task import Task

SEEDS = (0, 1, 2)


@functools.cache
def tasks_of(domain: str, seed: int) -> tuple[Task, ...]:
    """At least 50 tasks, with every family of the domain at every level."""
    count = max(50, 3 * len(families_of(domain)))
    return pocket_tasks(seed=seed, per_domain=count, domains=(domain,))


def all_of(domain: str, family: str) -> Iterator[Task]:
    for seed in SEEDS:
        yield from (t for t in tasks_of(domain, seed) if t.metadata["family"] == family)


def ints(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"-?\d+", text)]


def match(text: str, *patterns: str) -> re.Match[str]:
    """Match the first pattern that occurs in the text."""
    for pattern in patterns:
        if found := re.search(pattern, text, re.DOTALL):
            return found
    raise AssertionError(f"no solver reads this: {text}")


def close(target: str, value: float) -> bool:
    """Whether an independent result agrees with a target well within the scorer's tolerance."""
    return abs(float(Decimal(target)) - value) <= 2e-5 * abs(value) + 1e-12


UNITS = {
    "m": 1, "cm": 1e-2, "mm": 1e-3, "ft": 0.3048, "km": 1e3, "m/s": 1, "km/h": 1 / 3.6, "mph": 1609.344 / 3600,
    "kg": 1, "g": 1e-3, "lb": 0.45359237, "mg": 1e-6, "s": 1, "min": 60, "h": 3600, "d": 86400, "ms": 1e-3,
    "kPa": 1e3, "bar": 1e5, "atm": 101325, "L": 1e-3, "mL": 1e-6, "m³": 1, "Bq": 1, "kBq": 1e3, "MBq": 1e6,
    "N": 1, "kN": 1e3, "mN": 1e-3, "Ω": 1, "kΩ": 1e3,
}  # fmt: skip


def si(text: str) -> float:
    """Convert a quantity such as `12 km/h` to SI units."""
    number, unit = text.split(" ")
    if unit == "°C":
        return float(number) + 273.15
    if unit == "°F":
        return (float(number) + 459.67) * 5 / 9
    return float(number) * (1 if unit == "K" else UNITS[unit])


_QUANTITY = (
    r"(-?[\d.]*\d (?:"
    + "|".join(sorted([*UNITS, "K", "°C", "°F"], key=len, reverse=True))
    + r"))(?![\w/³])"
)


def quantities(text: str, *patterns: str) -> list[float]:
    """Quantities at the `{}` of the first pattern that occurs, in SI units; `{n}` is a number."""
    ready = [p.replace("{}", _QUANTITY).replace("{n}", r"(-?[\d.]*\d)") for p in patterns]
    groups = match(text, *ready).groups()
    return [si(group) if " " in group else float(group) for group in groups]


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """The point between two bounds where a function changes sign, by bisection."""
    negative = function(low) < 0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if (function(middle) < 0) == negative else (low, middle)
    return (low + high) / 2
