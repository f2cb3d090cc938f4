"""Finds and reads the file that a dataset names."""

from __future__ import annotations

from pathlib import Path

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.typed_path import is_file, typed_path
from sandbox_tui.core.evals.loaders.dataset import Dataset


def data_file(dataset: Dataset, folder: Path) -> Path:
    """Return the path of the dataset's file.

    Raises:
        ConfigError: the dataset names no file, or the file does not exist.
    """
    if not dataset.path:
        raise ConfigError("dataset.path must name the file with the tasks.")
    file = folder / typed_path(dataset.path)
    if not is_file(file):
        raise ConfigError(f"dataset.path names {file}, which is not a file.")
    return file


def read_text(file: Path) -> str:
    """Read a file as text.

    Raises:
        ConfigError: the file cannot be read or is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.") from error
