"""The filters of search queries that compare numbers, such as `tokens>5000` and `time<10m`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

NUMBER_FILTERS: Mapping[str, str] = {
    "steps": "a number, as in steps>10",
    "tokens": "a number, as in tokens>5000 or tokens<2M",
    "time": "a duration, as in time>10m or time<30s",
    "cost": "US dollars, as in cost>0.5 or cost<2",
}
"""Filters by name, with the values they accept."""

_COLUMNS = {
    "steps": "runs.steps",
    "tokens": "coalesce(runs.input_tokens, 0) + coalesce(runs.output_tokens, 0)",
    "time": "runs.seconds",
    "cost": "runs.cost",
}
"""The value of a session in SQL."""

_UNITS: Mapping[str, Mapping[str, float]] = {
    "steps": {},
    "tokens": {"k": 1e3, "m": 1e6},
    "time": {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0},
    "cost": {},
}
"""What a unit multiplies a value by; without one, time is in seconds."""

_COMPARISON = re.compile(
    r"(?P<sign>[<>]?=?)(?P<dollars>\$?)(?P<value>\d{1,12}(?:\.\d{1,9})?|\.\d{1,9})(?P<unit>[a-z]*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberFilter:
    """A condition on a number of a session.

    Attributes:
        name: of the filter.
        sign: `<`, `<=`, `>` or `>=`.
        value: tokens, steps, seconds or US dollars.
    """

    name: str
    sign: str
    value: float

    @property
    def condition(self) -> str:
        """The condition in SQL, with a parameter for the value."""
        return f"{_COLUMNS[self.name]} {self.sign} ?"


def number_filter(name: str, text: str) -> NumberFilter | None:
    """Parse the part of a filter after its name, such as `>10m`; None if it is wrong. Without a
    sign, it is the least value."""
    found = _COMPARISON.fullmatch(text)
    if found is None or (found["dollars"] and name != "cost"):
        return None
    unit = found["unit"].lower()
    if unit and unit not in _UNITS[name]:
        return None
    sign = found["sign"] if found["sign"][:1] in ("<", ">") else ">="
    return NumberFilter(
        name=name, sign=sign, value=float(found["value"]) * _UNITS[name].get(unit, 1.0)
    )
