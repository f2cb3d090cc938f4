"""Determines the tasks of a step, independently of resumes."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Sequence

from sandbox_tui.core.evals.task import Task


def tasks_of_step(tasks: Sequence[Task], step: int, count: int, seed: int) -> list[Task]:
    """Return the tasks of a step: all tasks in turn, in a new random order for each pass.

    Args:
        tasks: tasks of the training.
        step: number of the step, counted from 1.
        count: number of tasks per step.
        seed: seed of the training.
    """
    first = (step - 1) * count
    return [_at(tasks, place, seed) for place in range(first, first + count)]


def numbered_attempts(tasks: Sequence[Task], group: int) -> list[tuple[Task, int]]:
    """Return the attempts of a step, each task with the number of the attempt; a repeated task
    continues its numbering, so that its seeds are new.

    Args:
        tasks: tasks of the step.
        group: number of attempts each time a task occurs.
    """
    seen: Counter[str] = Counter()
    attempts: list[tuple[Task, int]] = []
    for task in tasks:
        attempts += [(task, seen[task.id] + number) for number in range(group)]
        seen[task.id] += group
    return attempts


def seed_of_attempt(seed: int, step: int, task: str, number: int, split: str) -> int:
    """Return the sampling seed of an attempt, below 2^31; its turns count up from there."""
    data = f"{seed}/{step}/{split}/{task}/{number}".encode()
    return int.from_bytes(hashlib.sha256(data).digest()[:4]) >> 1


def _at(tasks: Sequence[Task], place: int, seed: int) -> Task:
    turn, within = divmod(place, len(tasks))
    order = list(range(len(tasks)))
    random.Random(f"{seed}/{turn}").shuffle(order)
    return tasks[order[within]]
