"""Loads the generated tasks of the `pocket` suite."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from threading import Lock

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.loaders.selection import UnknownDomain
from sandbox_tui.core.evals.pocket.suite import DOMAINS, LEVELS, pocket_tasks
from sandbox_tui.core.evals.task import Task

_kept_tasks = lru_cache(maxsize=2)(pocket_tasks)
"""The last selections of tasks: the default one takes seconds to generate, and 20 MB."""

_generating = Lock()
"""So that threads that need the same tasks generate them once."""


def load(dataset: Dataset, _folder: Path) -> Iterable[Task]:
    """Generate the tasks of a seed. Applies the limit while generating, so that few tasks still
    cover each level.

    Raises:
        UnknownDomain: a domain does not exist.
        ConfigError: a level does not exist.
    """
    try:
        with _generating:
            return _kept_tasks(
                seed=dataset.seed,
                per_domain=dataset.per_domain if dataset.limit is None else dataset.limit,
                domains=dataset.domains or DOMAINS,
                levels=dataset.levels or LEVELS,
            )
    except ValueError as error:
        is_domain_unknown = not set(dataset.domains) <= set(DOMAINS)
        raise (UnknownDomain if is_domain_unknown else ConfigError)(str(error)) from error
