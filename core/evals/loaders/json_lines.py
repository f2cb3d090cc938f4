"""Loads JSON Lines: one object per line."""

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
        ConfigError: a line is invalid; the message names it.
    """
    file = data_file(dataset, folder)
    return tasks_of(_rows(file), dataset, file.name)


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if line.strip():
            try:
                yield msgspec.json.decode(line.encode(), type=dict[str, Any])
            except msgspec.DecodeError as error:
                raise ConfigError(
                    f"{file}, line {number}, is not a JSON object: {error}."
                ) from error
