"""The questions of evaluations, in a line each, for lists of samples."""

from __future__ import annotations

import msgspec

from sandbox_tui.sessions.store.compression import decompress
from sandbox_tui.sessions.store.store import Store

MAX_CHARACTERS = 300


class _Question(msgspec.Struct, frozen=True):
    """A task without its files, which may be large."""

    id: str
    problem: str


def questions(store: Store, eval_id: str) -> dict[str, str]:
    """Return the first line of the question of each task of an evaluation, by task id.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows("SELECT compressed, json FROM eval_tasks WHERE eval_id = ?", [eval_id])
    found = (
        msgspec.json.decode(decompress(row["compressed"], row["json"]), type=_Question)
        for row in rows
    )
    return {task.id: _first_line(task.problem) for task in found}


def _first_line(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return next(filter(None, lines), "")[:MAX_CHARACTERS]
