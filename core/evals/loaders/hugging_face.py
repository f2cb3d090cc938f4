"""Loads a dataset from the Hugging Face hub or from local files with the `datasets` library."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.typed_path import typed_path
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.loaders.rows import tasks_of
from sandbox_tui.core.evals.optional_packages import missing_extra
from sandbox_tui.core.evals.task import Task


def load(dataset: Dataset, folder: Path) -> Iterator[Task]:
    """Load the tasks of one split: `dataset.split`, or else `test`.

    `dataset.path` is a repository (`owner/name`), or a local folder or file relative to `folder`.

    Raises:
        ConfigError: the dataset cannot be loaded, or the library is not installed.
    """
    if not dataset.path:
        raise ConfigError("dataset.path must name a repository on the hub, or local files.")
    try:
        library: Any = importlib.import_module("datasets")
    except ImportError as error:
        raise missing_extra("The loader hugging_face") from error
    _silence(library)
    split = dataset.split or "test"
    try:
        table = library.load_dataset(**_source(dataset, folder), split=split)
    except Exception as error:  # the library and its dependencies raise errors of many types
        words = " ".join(str(error).split())[:300].rstrip(".")
        raise ConfigError(
            f"The data set {dataset.path} ({dataset.config or 'no config'}, {split}) cannot be "
            f"loaded: {words or type(error).__name__}."
        ) from error
    return tasks_of(table, dataset, f"{dataset.path}, {split}")


def _silence(library: Any) -> None:
    """Keep the library from writing to the screen; it still raises its errors."""
    library.disable_progress_bars()
    library.logging.set_verbosity_error()
    importlib.import_module("huggingface_hub.utils.logging").set_verbosity(logging.CRITICAL)


def _source(dataset: Dataset, folder: Path) -> dict[str, Any]:
    """Return the arguments of `load_dataset` that locate the data."""
    local = folder / typed_path(dataset.path)
    if local.is_file():
        kind = local.suffix.removeprefix(".").replace("jsonl", "json")
        return {"path": kind, "data_files": {dataset.split or "test": str(local)}}
    path = str(local) if local.is_dir() else dataset.path
    return {"path": path, "name": dataset.config or None, "revision": dataset.revision or None}
