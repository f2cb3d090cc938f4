"""Task files: JSON Lines with one task per line, as the suite loader `jsonl` reads them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.typed_path import typed_path
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.loaders.table import load_tasks
from sandbox_tui.core.evals.task import Task


def encode_tasks(tasks: Iterable[Task]) -> bytes:
    """Encode tasks as a task file.

    Raises:
        ConfigError: a document is not UTF-8 text.
    """
    return b"".join(msgspec.json.encode(_row(task)) + b"\n" for task in tasks)


def read_tasks(path: str | Path) -> list[Task]:
    """Read the tasks of a file: a task file, or JSON, CSV or Parquet with the same columns.

    Raises:
        ConfigError: the file is invalid; the message names it and the error.
    """
    file = typed_path(path)
    tasks = load_tasks(Dataset(path=str(file)), Path(), str(path))
    if not tasks:
        raise ConfigError(f"{path} holds no tasks.")
    return tasks


def document_text(task: Task, name: str) -> str:
    """Return the text of a document.

    Raises:
        ConfigError: the document is not UTF-8.
    """
    try:
        return task.files[name].decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"The document {name} of the task {task.id} is not UTF-8 text; convert it to text "
            "first."
        ) from error


def _row(task: Task) -> dict[str, Any]:
    """Convert a task to the fields that differ from their defaults, with documents as text."""
    defaults = Task(id="", problem="", target="")
    row = {
        name: value
        for name in task.__struct_fields__
        if (value := getattr(task, name)) != getattr(defaults, name) or name == "target"
    }
    if task.files:
        row["files"] = {name: document_text(task, name) for name in task.files}
    return row
