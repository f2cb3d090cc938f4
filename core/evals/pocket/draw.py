"""Random choices that are the same on every version of Python."""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal
from typing import TypeVar

_T = TypeVar("_T")


class Draw:
    """A source of random choices.

    Only `random.Random.random()` with a text seed is guaranteed to be reproducible from version to
    version, so everything here is built on it.

    Args:
        seed: equal texts give equal choices.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def integer(self, low: int, high: int) -> int:
        """Draw an integer from `low` to `high`, both included; at most 2**50 of them."""
        return low + int(self._random() * (high - low + 1))

    def of_digits(self, digits: int) -> int:
        """Draw an integer with exactly this many decimal digits, of any size."""
        rest = [self.integer(0, 9) for _ in range(digits - 1)]
        return int("".join(map(str, [self.integer(1, 9), *rest])))

    def decimal(self, low: str, high: str) -> Decimal:
        """Draw a number from `low` to `high`, with as many decimal places as `low` has."""
        step = Decimal(low).as_tuple().exponent
        assert isinstance(step, int)
        first, last = (int(Decimal(end).scaleb(-step)) for end in (low, high))
        return Decimal(self.integer(first, last)).scaleb(step)

    def real(self, low: float, high: float) -> float:
        """Draw a number from `low` to `high`."""
        return low + self._random() * (high - low)

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self._random() < probability

    def one_of(self, choices: Sequence[_T]) -> _T:
        """Draw one of the choices."""
        return choices[self.integer(0, len(choices) - 1)]

    def shuffled(self, choices: Sequence[_T]) -> list[_T]:
        """Return all choices, in a random order."""
        rest = list(choices)
        for last in range(len(rest) - 1, 0, -1):
            other = self.integer(0, last)
            rest[last], rest[other] = rest[other], rest[last]
        return rest

    def some(self, choices: Sequence[_T], count: int) -> list[_T]:
        """Draw `count` of the choices, each at most once, in random order."""
        return self.shuffled(choices)[:count]
