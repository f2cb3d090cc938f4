"""Adds documents of other tasks to those that a question is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.data.conversion.choices import MULTIPLE_CHOICE, QA_TYPE
from sandbox_tui.core.rl.data.shingles import normalised
from sandbox_tui.core.rl.data.split import groups_of

CHOICE_OF = 3
"""Approximate number of candidate documents for each requested distractor."""

DISTRACTORS = "distractors"
"""Metadata key: names of the files that are distractors."""

_LETTERS = re.compile(r"[A-Z](, [A-Z])*")


def with_distractors(tasks: Sequence[Task], count: int, seed: int) -> list[Task]:
    """Add this many distractors to each task, and rename and shuffle all of its files; a task
    without documents stays as it is.

    Tasks exchange documents within small circles, so that they can still be split by document. No
    distractor is nearly the same as a document of its task, and one that contains the words of the
    answer is used only if there is no other.

    Raises:
        ConfigError: there are not enough documents of other tasks.
    """
    added: dict[int, list[bytes]] = {}
    for circle in _circles(groups_of(tasks), tasks, count, seed):
        for group in circle:
            others = [
                data for other in circle if other is not group for data in _documents(tasks, other)
            ]
            for at in group:
                added[at] = _drawn(tasks[at], others, count, seed)
    return [_mixed(task, added[at], seed) for at, task in enumerate(tasks)]


def _circles(
    groups: Sequence[list[int]], tasks: Sequence[Task], count: int, seed: int
) -> list[list[list[int]]]:
    """Divide the tasks into circles that exchange documents; each task finds enough in its
    circle."""
    circles: list[list[list[int]]] = []
    circle: list[list[int]] = []
    sizes: list[int] = []
    for group in Draw(f"circles/{seed}").shuffled(groups):
        circle.append(group)
        sizes.append(len(_documents(tasks, group)))
        if sum(sizes) - max(sizes) >= CHOICE_OF * count:
            circles.append(circle)
            circle, sizes = [], []
    if circles:
        circles[-1] += circle
        return circles
    return [circle]


def _documents(tasks: Sequence[Task], group: Iterable[int]) -> list[bytes]:
    return list(dict.fromkeys(data for at in group for data in tasks[at].files.values()))


def _drawn(task: Task, others: Sequence[bytes], count: int, seed: int) -> list[bytes]:
    if not task.files:
        return []
    if len(others) < count:
        raise ConfigError(
            f"The task {task.id} can have {len(others)} distractors, not {count}: there are too "
            "few documents of other tasks."
        )
    answer = "" if _is_letters(task) else f" {normalised(task.target)} "
    order = Draw(f"distractors/{seed}/{task.id}").shuffled(others)
    return sorted(order, key=lambda data: bool(answer) and answer in _joined_words(data))[:count]


def _is_letters(task: Task) -> bool:
    kind = str(task.metadata.get(QA_TYPE) or "")
    return kind == MULTIPLE_CHOICE or _LETTERS.fullmatch(task.target.strip()) is not None


def _joined_words(data: bytes) -> str:
    return f" {normalised(data.decode('utf-8', 'replace'))} "


def _mixed(task: Task, added: Sequence[bytes], seed: int) -> Task:
    """Add files to a task. Neither names nor order of the files reveal the distractors."""
    if not added:
        return task
    named = [(PurePath(name).suffix or ".txt", data, False) for name, data in task.files.items()]
    named += [(named[0][0], data, True) for data in added]
    order = Draw(f"order/{seed}/{task.id}").shuffled(named)
    names = [f"document_{number}{suffix}" for number, (suffix, _, _) in enumerate(order, 1)]
    files = {name: data for name, (_, data, _) in zip(names, order, strict=True)}
    extra = [name for name, (_, _, is_added) in zip(names, order, strict=True) if is_added]
    return msgspec.structs.replace(
        task, files=files, metadata={**task.metadata, DISTRACTORS: extra}
    )
