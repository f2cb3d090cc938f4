"""Finds the documents of a row, in one of its columns or in a folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.task import Task


def document_reader(context: str, document: str, folder: Path | None) -> Callable[[Task], Task]:
    """Create a function that adds documents to a task.

    Args:
        context: column with texts.
        document: column with names of files in the folder.
        folder: folder with the documents; None: treat that column as metadata.

    Raises:
        ConfigError: the folder does not exist.
    """
    if folder is not None and not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder of documents.")

    @cache
    def read(name: str) -> bytes:
        assert folder is not None
        return _read(folder, name)

    def of(task: Task) -> Task:
        files = dict(task.files) | dict(_texts(task, context))
        used = {context}
        if folder is not None:
            names = _listed(task.metadata.get(document))
            if not names:
                raise ConfigError(
                    f"The task {task.id} names no document of {folder}; name the column that does "
                    "(document=COLUMN)."
                )
            files |= {name: read(name) for name in names}
            used.add(document)
        metadata = {name: value for name, value in task.metadata.items() if name not in used}
        return msgspec.structs.replace(task, files=files, metadata=metadata)

    return of


def _texts(task: Task, column: str) -> Iterator[tuple[str, bytes]]:
    texts = _listed(task.metadata.get(column))
    for number, text in enumerate(texts, 1):
        name = "document.txt" if len(texts) == 1 else f"document_{number}.txt"
        yield name, text.encode("utf-8", "replace")


def _read(folder: Path, name: str) -> bytes:
    file = folder / name
    if not file.resolve().is_relative_to(folder.resolve()):
        raise ConfigError(f"The document {name!r} is not in {folder}.")
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(f"The document {file} cannot be read: {error.strerror}.") from error


def _listed(value: object) -> list[str]:
    """Return the texts in a cell: one text, or a list of them, which is JSON in CSV."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(
            ValueError, RecursionError
        ):  # otherwise it is a text that starts with a bracket
            value = json.loads(value)
    if isinstance(value, list):
        return [str(one) for one in cast("list[Any]", value)]
    return [str(value)] if value not in (None, "") else []
