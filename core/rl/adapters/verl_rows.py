"""Converts tasks to rows of a verl dataset, and back. Does not import verl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sandbox_tui.core.evals.task import Task


def row_of(task: Task, index: int) -> dict[str, Any]:
    """Convert a task to a row.

    verl requires a prompt and a ground truth. The agent loop uses neither: the task itself is in
    `extra_info`, as JSON, so that rows with different files and metadata share one schema.

    Args:
        task: the task.
        index: index of the row.
    """
    return {
        "prompt": [{"role": "user", "content": task.problem}],
        "data_source": task.domain or "tasks",
        "reward_model": {"style": "rule", "ground_truth": task.target},
        "extra_info": {"index": index, "task": msgspec.json.encode(task).decode()},
    }


def task_of_row(row: Mapping[str, Any]) -> Task:
    """Return the task in a row, as verl passes it to an agent loop.

    Raises:
        KeyError: the row does not come from `row_of`.
    """
    return msgspec.json.decode(row["extra_info"]["task"], type=Task)
