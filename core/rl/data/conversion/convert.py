"""Converts questions with documents into tasks: question in the prompt, documents as files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.typed_path import typed_path
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.loaders.rows import COLUMNS
from sandbox_tui.core.evals.loaders.table import LOADERS, load_tasks
from sandbox_tui.core.evals.suite_file import load_suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.data.conversion.choices import with_choices
from sandbox_tui.core.rl.data.conversion.distractors import with_distractors
from sandbox_tui.core.rl.data.conversion.documents import document_reader
from sandbox_tui.core.rl.data.conversion.parts import in_parts

OWN_COLUMNS = {"context": "context", "document": "document", "choices": "choices"}
"""Columns to read besides the fields of a task, and their default names."""


class Conversion(msgspec.Struct, frozen=True, kw_only=True):
    """How rows become tasks.

    Attributes:
        columns: column name by field of `Task` and of `OWN_COLUMNS`, such as {problem: question}.
            The context is the text of a document, or a list of texts; the document names a file of
            the folder, or several in a list; choices are the texts of options A, B, C ...
        folder: folder with the documents; None: rows name no files.
        domain: domain of tasks that name none.
        scorer: scorer of tasks that name none; empty: left to the reward.
        parts: number of files to cut or join the documents of a task into; 0: unchanged.
        distractors: number of documents of other tasks, cut or joined in the same way, to add to
            each.
        seed: seed for the choice and the order of distractors.
    """

    columns: dict[str, str] = {}
    folder: Path | None = None
    domain: str = ""
    scorer: str = ""
    parts: int = 0
    distractors: int = 0
    seed: int = 0


def convert(source: str, how: Conversion) -> list[Task]:
    """Convert the rows of a source to tasks.

    Args:
        source: a file of rows (JSON, JSON Lines, CSV, Parquet), or name or file of a suite.
        how: how to read the rows.

    Raises:
        ConfigError: the source cannot be read, or a task is incomplete; the message says what is
            missing.
    """
    own = {field: how.columns.get(field, name) for field, name in OWN_COLUMNS.items()}
    _check_fields(how.columns)
    tasks = _tasks_of(source, how)
    _check_columns(tasks, how.columns)
    read = document_reader(own["context"], own["document"], how.folder)
    tasks = [_complete(with_choices(read(task), own["choices"]), how) for task in tasks]
    if not any(task.files for task in tasks):
        raise ConfigError(
            f"{source} has no documents: name the column with their text (context=COLUMN) or with "
            "their file names (document=COLUMN, and the folder)."
        )
    if how.parts:
        tasks = [in_parts(task, how.parts) for task in tasks]
    return with_distractors(tasks, how.distractors, how.seed) if how.distractors else tasks


def _tasks_of(source: str, how: Conversion) -> Sequence[Task]:
    file = typed_path(source)
    columns = {field: name for field, name in how.columns.items() if field not in OWN_COLUMNS}
    if file.suffix.removeprefix(".").lower() in LOADERS:
        return load_tasks(
            Dataset(path=str(file), columns=columns, domain=how.domain), Path(), source
        )
    suite = load_suite(
        source, overrides={f"dataset.columns.{field}": name for field, name in columns.items()}
    )
    return [msgspec.structs.replace(task, scorer=suite.scorer_of(task)) for task in suite.tasks]


def _check_fields(columns: Iterable[str]) -> None:
    if unknown := set(columns) - set(COLUMNS) - set(OWN_COLUMNS):
        raise ConfigError(
            f"{min(unknown)!r} is not a field of a task. Fields are "
            f"{', '.join([*COLUMNS, *OWN_COLUMNS])}."
        )


def _check_columns(tasks: Iterable[Task], columns: Mapping[str, str]) -> None:
    """Reject a column that the user names but no row has, which is a typo."""
    existing = {name for task in tasks for name in task.metadata}
    for field in OWN_COLUMNS:
        if field in columns and columns[field] not in existing:
            raise ConfigError(f"No row has the column {columns[field]!r}, named for {field}.")


def _complete(task: Task, how: Conversion) -> Task:
    if not task.target.strip():
        raise ConfigError(
            f"The task {task.id} has no answer; name its column (target=COLUMN), or remove the row."
        )
    return msgspec.structs.replace(
        task, domain=task.domain or how.domain, scorer=task.scorer or how.scorer
    )
