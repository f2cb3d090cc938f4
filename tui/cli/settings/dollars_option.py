"""A type of options: an amount of US dollars."""

from __future__ import annotations

import math
from typing import Any

import click


class Dollars(click.FloatRange):
    """More than 0 US dollars, as a number."""

    def __init__(self) -> None:
        super().__init__(0, min_open=True)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the amount.

        Raises:
            click.BadParameter: the value is no number, not more than 0, or infinite.
        """
        amount = float(super().convert(value, param, ctx))
        if not math.isfinite(amount):
            self.fail(f"{str(value)!r} is not a finite number.", param, ctx)
        return amount


DOLLARS = Dollars()
