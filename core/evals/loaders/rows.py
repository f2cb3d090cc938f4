"""Converts rows, which are dicts by column name, to tasks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.task import Task

Row = Mapping[str, Any]

COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "problem": ("problem", "problem_statement"),
    "target": ("target", "ground_truth"),
    "domain": ("domain",),
    "scorer": ("scorer",),
    "level": ("level",),
    "files": ("files", "input_files"),
    "image": ("image",),
    "setup": ("setup",),
    "limits": ("limits",),
    "metadata": ("metadata",),
}
"""Default columns of each task field: this project's names first, then the reference's."""

COMMON_COLUMNS: dict[str, tuple[str, ...]] = {
    "problem": ("question", "prompt", "input"),
    "target": ("answer", "solution", "expected", "output"),
}
"""Columns in common use, which hold a field if none of `COLUMNS` does. Their values must be single:
a list of messages is no problem, and a list of expected results no target."""

MAX_LISTED = 16
"""Maximum number of columns that a message lists."""


def tasks_of(rows: Iterable[Row], dataset: Dataset, source: str) -> Iterator[Task]:
    """Convert each row to a task; columns that are not task fields become metadata.

    Args:
        rows: in dataset order.
        dataset: gives the column names and the default domain.
        source: name of the dataset for error messages.

    Raises:
        ConfigError: a row lacks a column or has a wrong type, or two rows share an id.
    """
    if unknown := set(dataset.columns) - set(COLUMNS):
        raise ConfigError(
            f"{source}: dataset.columns names {min(unknown)!r}, which is not a field of a task. "
            f"Fields are {', '.join(COLUMNS)}."
        )
    seen: set[str] = set()
    for number, row in enumerate(rows, 1):
        task = _task(row, number, dataset, f"{source}, row {number}")
        if task.id in seen:
            raise ConfigError(f"{source}, row {number}: the id {task.id!r} is already taken.")
        seen.add(task.id)
        yield task


def how_to_name(field: str, columns: Iterable[str], lead: str = "Its columns are") -> str:
    """Return how a data file says which column holds a field of its tasks.

    Args:
        field: a field of `Task`.
        columns: columns of the file, which the text lists.
        lead: what the list is.
    """
    *names, last = COLUMNS[field] + COMMON_COLUMNS.get(field, ())
    how = (
        f"Call its column {', '.join(names)} or {last}, or name it in a suite file as "
        f"dataset.columns.{field}."
    )
    found = [sanitize_line(str(column)) for column in columns]
    if not found:
        return how
    more = len(found) - MAX_LISTED
    listed = ", ".join(found[:MAX_LISTED]) + (f" and {more} more" if more > 0 else "")
    return f"{how} {lead} {listed}."


def _task(row: Row, number: int, dataset: Dataset, where: str) -> Task:
    columns = {field: _column(field, row, dataset, where) for field in COLUMNS}
    fields = {field: row[column] for field, column in columns.items() if column}
    if fields.get("problem") in (None, ""):
        raise ConfigError(f"{where}: the problem is missing. {how_to_name('problem', row)}")
    rest = {key: value for key, value in row.items() if key not in columns.values()}
    return Task(
        id=_text(fields.get("id")) or str(number),
        problem=_text(fields["problem"]),
        target=_text(fields.get("target")),
        domain=_text(fields.get("domain")) or dataset.domain,
        scorer=_text(fields.get("scorer")),
        level=_integer(fields.get("level"), f"{where}: the column {columns['level']!r}"),
        files=_files(fields.get("files"), f"{where}: the column {columns['files']!r}"),
        image=_text(fields.get("image")),
        setup=_lines(fields.get("setup")),
        limits=_table(fields.get("limits"), f"{where}: the column {columns['limits']!r}"),
        metadata=_plain(
            rest | _table(fields.get("metadata"), f"{where}: the column {columns['metadata']!r}")
        ),
    )


def _column(field: str, row: Row, dataset: Dataset, where: str) -> str:
    """Return the column of this row that holds a field; empty if none does."""
    if named := dataset.columns.get(field):
        if named not in row:
            raise ConfigError(
                f"{where}: there is no column {named!r}, which dataset.columns.{field} names."
            )
        return named
    if own := next((name for name in COLUMNS[field] if name in row), ""):
        return own
    taken = dataset.columns.values()
    common = (name for name in COMMON_COLUMNS.get(field, ()) if name not in taken)
    return next((name for name in common if _is_single(row.get(name, []))), "")


def _is_single(value: object) -> bool:
    return not isinstance(value, (list, tuple, dict))


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _integer(value: object, where: str) -> int:
    if value in (None, ""):
        return 0
    try:
        return int(cast(Any, value))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{where} must be a whole number, not {value!r}.") from error


def _lines(value: object) -> tuple[str, ...]:
    """Parse commands from a list or a single string."""
    if isinstance(value, (list, tuple)):
        return tuple(_text(one) for one in cast(list[object], value))
    return (value,) if isinstance(value, str) and value else ()


def _table(value: object, where: str) -> dict[str, Any]:
    """Parse a dict, or its JSON text, and drop null values: datasets add every row's keys to all
    rows."""
    value = _decoded(value, where)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(f"{where} must be a table, not {value!r:.60}.")
    return {str(k): v for k, v in cast(dict[Any, Any], value).items() if v is not None}


def _files(value: object, where: str) -> dict[str, bytes]:
    """Parse files by path, from a dict of texts, its JSON text, or a list of documents."""
    value = _decoded(value, where)
    if isinstance(value, list):
        documents = enumerate(cast(list[object], value), 1)
        value = {f"document_{number}.txt": text for number, text in documents}
    return {
        path: text if isinstance(text, bytes) else _text(text).encode("utf-8", "replace")
        for path, text in _table(value, where).items()
    }


def _decoded(value: object, where: str) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value.strip() else None
    except ValueError as error:
        raise ConfigError(f"{where} must be JSON: {error}.") from error


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert values to JSON-compatible ones, so that a task can be stored and sent."""
    return msgspec.json.decode(msgspec.json.encode(values, enc_hook=str))
