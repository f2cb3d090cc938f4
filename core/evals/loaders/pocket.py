"""Loads the tasks of `pocket`, which are generated."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.pocket.suite import DOMAINS, LEVELS, pocket_tasks
from sandbox_tui.core.evals.task import Task


def load(dataset: Dataset, _folder: Path) -> Iterable[Task]:
    """The tasks of a seed. A limit is passed on, so that fewer tasks still have every level.

    Raises:
        ConfigError: there is no such domain or level.
    """
    try:
        return pocket_tasks(
            seed=dataset.seed,
            per_domain=dataset.per_domain if dataset.limit is None else dataset.limit,
            domains=dataset.domains or DOMAINS,
            levels=dataset.levels or LEVELS,
        )
    except ValueError as error:
        raise ConfigError(str(error)) from error
