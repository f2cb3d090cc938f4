"""Loads CSV files with a header line (RFC 4180)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.loaders.data_file import data_file, read_text
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.loaders.rows import tasks_of
from sandbox_tui.core.evals.task import Task

MAX_CELL_CHARS = 1 << 30
"""Cells may hold whole documents; the csv module's default limit is 128 KiB."""


def load(dataset: Dataset, folder: Path) -> Iterator[Task]:
    """Load the tasks of the file.

    Raises:
        ConfigError: a line is invalid; the message names it.
    """
    file = data_file(dataset, folder)
    return tasks_of(_rows(file), dataset, file.name)


def _rows(file: Path) -> Iterator[dict[str, str]]:
    before = csv.field_size_limit(MAX_CELL_CHARS)  # a module-wide limit; others rely on it
    reader = csv.DictReader(io.StringIO(read_text(file), newline=""), strict=True, restval="")
    try:
        for row in reader:
            if None in row:
                raise ConfigError(f"{file}, line {reader.line_num}, has more cells than columns.")
            yield row
    except csv.Error as error:
        raise ConfigError(f"{file}, line {reader.line_num}, is not valid CSV: {error}.") from error
    finally:
        csv.field_size_limit(before)
