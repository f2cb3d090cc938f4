"""Registry of the loaders. Each is a function `(Dataset, Path) -> Iterable[Task]` in its own file;
the path is the folder that `dataset.path` is relative to."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from pathlib import Path

from sandbox_tui.core.base.errors import ConfigError, refuse_deep_nesting
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.task import Task

Loader = Callable[[Dataset, Path], Iterable[Task]]

LOADERS = {
    "csv": "csv_table",
    "json": "json_array",
    "jsonl": "json_lines",
    "hugging_face": "hugging_face",
    "parquet": "parquet",
    "pocket": "pocket",
    "reference_task": "reference_task",
}
"""Module by loader name in a suite file; imported when a suite uses it."""


def load_tasks(dataset: Dataset, folder: Path, source: str) -> list[Task]:
    """Load all tasks of a dataset, before any selection.

    Args:
        dataset: where the tasks are.
        folder: folder that `dataset.path` is relative to.
        source: name of the suite for error messages.

    Raises:
        ConfigError: the loader does not exist, or cannot read the data.
    """
    name = dataset.loader or Path(dataset.path).suffix.removeprefix(".").lower()
    if name not in LOADERS:
        raise ConfigError(
            f"{source}: dataset.loader must be one of {', '.join(sorted(LOADERS))}, not {name!r}."
        )
    module = importlib.import_module(f"{__package__}.{LOADERS[name]}")
    loader: Loader = module.load
    with refuse_deep_nesting(str(folder / dataset.path)):
        return list(loader(dataset, folder))
