"""Tasks as rows of a data set of verl, and back. Imports nothing of verl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sandbox_tui.core.evals.task import Task


def row_of(task: Task, index: int) -> dict[str, Any]:
    """The row of a task.

    verl wants a prompt and a ground truth in it. The agent loop uses neither: the task itself
    stands in `extra_info`, as JSON, so that rows with other files and metadata have one schema.

    Args:
        task: what a policy attempts.
        index: of the row.
    """
    return {
        "prompt": [{"role": "user", "content": task.problem}],
        "data_source": task.domain or "tasks",
        "reward_model": {"style": "rule", "ground_truth": task.target},
        "extra_info": {"index": index, "task": msgspec.json.encode(task).decode()},
    }


def task_of_row(row: Mapping[str, Any]) -> Task:
    """The task of a row, as verl hands it to an agent loop.

    Raises:
        KeyError: the row is not one of ours.
    """
    return msgspec.json.decode(row["extra_info"]["task"], type=Task)
