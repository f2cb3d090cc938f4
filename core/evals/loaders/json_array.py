"""Loads a JSON file that holds a list of objects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.loaders.data_file import data_file, read_text
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.loaders.rows import tasks_of
from sandbox_tui.core.evals.task import Task


def load(dataset: Dataset, folder: Path) -> Iterator[Task]:
    """Load the tasks of the file.

    Raises:
        ConfigError: the file is not a list of objects.
    """
    file = data_file(dataset, folder)
    try:
        rows = msgspec.json.decode(read_text(file).encode(), type=list[dict[str, Any]])
    except msgspec.DecodeError as error:
        raise ConfigError(f"{file} is not a JSON list of objects: {error}.") from error
    return tasks_of(rows, dataset, file.name)
