"""Loads the tasks of `pocket`, which are generated."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.task import Task


def load(dataset: Dataset, _folder: Path) -> Iterable[Task]:
    """The tasks of a seed. A limit is passed on, so that fewer tasks still have every level."""
    suite: Any = importlib.import_module("sandbox_tui.core.evals.pocket.suite")
    return suite.pocket_tasks(
        seed=dataset.seed,
        per_domain=dataset.per_domain if dataset.limit is None else dataset.limit,
        domains=dataset.domains,
        levels=dataset.levels,
    )
