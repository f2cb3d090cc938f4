"""Loads a Parquet file."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.loaders.data_file import data_file
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.loaders.rows import tasks_of
from sandbox_tui.core.evals.optional_packages import missing_extra
from sandbox_tui.core.evals.task import Task


def load(dataset: Dataset, folder: Path) -> Iterator[Task]:
    """Load the tasks of the file.

    Raises:
        ConfigError: the file is not Parquet, or pyarrow is not installed.
    """
    file = data_file(dataset, folder)
    try:
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise missing_extra("The loader parquet") from error
    try:
        rows = parquet.read_table(file).to_pylist()
    except (OSError, ValueError) as error:  # pyarrow's errors derive from both
        raise ConfigError(f"{file} is not a Parquet file: {error}.") from error
    return tasks_of(rows, dataset, file.name)
