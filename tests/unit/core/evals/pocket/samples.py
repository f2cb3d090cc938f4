"""Tasks of pocket for several seeds, made once, and what solvers need to read them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from decimal import Decimal

from sandbox_tui.core.evals.pocket.suite import families_of, pocket_tasks
from sandbox_tui.core.evals.task import Task

SEEDS = (0, 1, 2)


@functools.cache
def tasks_of(domain: str, seed: int) -> tuple[Task, ...]:
    """Every family of a domain at every level, and at least 50 tasks."""
    count = max(50, 3 * len(families_of(domain)))
    return pocket_tasks(seed=seed, per_domain=count, domains=(domain,))


def all_of(domain: str, family: str) -> Iterator[Task]:
    for seed in SEEDS:
        yield from (t for t in tasks_of(domain, seed) if t.metadata["family"] == family)


def ints(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"-?\d+", text)]


def match(text: str, *patterns: str) -> re.Match[str]:
    """The first of the patterns that occurs."""
    for pattern in patterns:
        if found := re.search(pattern, text, re.DOTALL):
            return found
    raise AssertionError(f"no solver reads this: {text}")


def close(target: str, value: float) -> bool:
    """Whether an independent result agrees with a target far within the tolerance."""
    return abs(float(Decimal(target)) - value) <= 2e-5 * abs(value) + 1e-12
