"""Selects the tasks of a dataset to attempt."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.task import Task


class UnknownDomain(ConfigError):
    """A selection names a domain that no task has."""


def selected(tasks: Iterable[Task], dataset: Dataset, source: str) -> tuple[Task, ...]:
    """Return the tasks that `dataset` selects, in the order in which they are attempted.

    Args:
        tasks: all tasks of the dataset.
        dataset: the selection.
        source: name of the dataset for error messages.

    Raises:
        UnknownDomain: the selection names a domain that no task has.
        ConfigError: the selection is empty.
    """
    every = list(tasks)
    known = sorted({task.domain for task in every})
    for domain in dataset.domains:
        if domain not in known:
            named = ", ".join(name for name in known if name)
            there = f"Its domains are {named}." if named else "Its tasks have no domains."
            raise UnknownDomain(f"{source} has no domain {domain!r}. {there}")
    kept = [task for task in every if _is_selected(task, dataset)][dataset.start : dataset.end]
    if dataset.shuffle is not None:
        random.Random(dataset.shuffle).shuffle(kept)
    if dataset.limit is not None:
        kept = _limit_per_domain(kept, dataset.limit)
    if not every:
        raise ConfigError(f"{source} has no tasks.")
    if not kept:
        raise ConfigError(f"{source}: the selection matches none of the {len(every)} tasks.")
    return tuple(kept)


def _is_selected(task: Task, dataset: Dataset) -> bool:
    return (not dataset.domains or task.domain in dataset.domains) and (
        not dataset.levels or task.level in dataset.levels
    )


def _limit_per_domain(tasks: list[Task], limit: int) -> list[Task]:
    counts: Counter[str] = Counter()
    kept: list[Task] = []
    for task in tasks:
        counts[task.domain] += 1
        if counts[task.domain] <= limit:
            kept.append(task)
    return kept
