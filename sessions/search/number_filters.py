"""The filters of search queries that compare numbers, such as `tokens>5000` and `time<10m`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.quantities import seconds_of

NUMBER_FILTERS: Mapping[str, str] = {
    "steps": "a number, as in steps>10",
    "tokens": "a number, as in tokens>5000 or tokens<2M",
    "time": "a duration, as in time>10m or time<1h30m",
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

_MULTIPLES = {"": 1.0, "k": 1e3, "m": 1e6}
"""What a unit of tokens multiplies their number by."""

_SIGNED = re.compile(r"([<>]?=?)(.*)")
_NUMBER = re.compile(r"(?P<dollars>\$?)(?P<value>\d{1,12}(?:\.\d{1,9})?|\.\d{1,9})(?P<unit>[a-z]?)")


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
    signed = _SIGNED.fullmatch(text)
    if signed is None:
        return None
    sign = signed[1] if signed[1][:1] in ("<", ">") else ">="
    value = _seconds(signed[2]) if name == "time" else _number(name, signed[2].lower())
    return None if value is None else NumberFilter(name=name, sign=sign, value=value)


def _seconds(text: str) -> float | None:
    """Return the seconds of a duration; None if it is none."""
    try:
        return seconds_of(text)
    except ConfigError:
        return None


def _number(name: str, text: str) -> float | None:
    """Return a number in lower case; None if it is none, or its unit is not one of its filter."""
    found = _NUMBER.fullmatch(text)
    if found is None or (found["dollars"] and name != "cost"):
        return None
    if found["unit"] and name != "tokens":
        return None
    unit = _MULTIPLES.get(found["unit"])
    return None if unit is None else float(found["value"]) * unit
