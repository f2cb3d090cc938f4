"""Splits tasks into training and held-out tasks by document: neither side contains a document of
the other, or anything nearly the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.data.near_duplicates import near_duplicates
from sandbox_tui.core.rl.data.shingles import normalised


@dataclass(frozen=True, slots=True)
class Split:
    """Tasks to train on and tasks to measure with, each in the order of the file."""

    train: tuple[Task, ...]
    held_out: tuple[Task, ...]


def split_by_document(tasks: Sequence[Task], *, share: float = 0.1, seed: int = 0) -> Split:
    """Split tasks, each domain in the same proportion.

    Tasks stay together if they share a document, have documents that are nearly the same, or ask
    the same question with the same answer. The document of a task without files is its problem.

    Args:
        tasks: all tasks.
        share: maximum share of each domain's tasks to hold out; at least one task, if possible.
        seed: another seed holds out other documents.

    Raises:
        ConfigError: so many tasks share documents that none can be held out.
    """
    groups = groups_of(tasks)
    quotas = {name: share * n for name, n in Counter(task.domain for task in tasks).items()}
    held: Counter[str] = Counter()
    chosen: set[int] = set()
    for group in Draw(f"split/{seed}").shuffled(groups):
        domains = Counter(tasks[at].domain for at in group)
        if all(held[name] + n <= max(1.0, quotas[name]) for name, n in domains.items()):
            held += domains
            chosen.update(group)
    if not chosen or len(chosen) == len(tasks):
        raise ConfigError(_unsplittable(tasks, groups))
    return Split(
        train=tuple(task for at, task in enumerate(tasks) if at not in chosen),
        held_out=tuple(task for at, task in enumerate(tasks) if at in chosen),
    )


def groups_of(tasks: Sequence[Task]) -> list[list[int]]:
    """Return the positions of the tasks that must stay together, each group and all groups in
    order."""
    sets = _Sets(len(tasks))
    first: dict[str, int] = {}
    texts: dict[str, int] = {}
    for at, task in enumerate(tasks):
        marks = [f"asked\0{normalised(task.problem)}\0{normalised(task.target)}"]
        for text in documents_of(task).values():
            marks.append(f"read\0{normalised(text)}")
            texts.setdefault(text, at)
        for mark in marks:
            sets.join(at, first.setdefault(mark, at))
    distinct = list(texts)
    for pair in near_duplicates(distinct):
        sets.join(texts[distinct[pair.first]], texts[distinct[pair.second]])
    return sets.groups()


def documents_of(task: Task) -> dict[str, str]:
    """Return the documents of a task by name, or its problem if it has none."""
    files = {name: data.decode("utf-8", "replace") for name, data in task.files.items()}
    return files or {"": task.problem}


class _Sets:
    """Disjoint sets of the numbers below `size`."""

    def __init__(self, size: int) -> None:
        self._above = list(range(size))

    def join(self, one: int, other: int) -> None:
        low, high = sorted((self._root(one), self._root(other)))
        self._above[high] = low

    def groups(self) -> list[list[int]]:
        found: defaultdict[int, list[int]] = defaultdict(list)
        for at in range(len(self._above)):
            found[self._root(at)].append(at)
        return list(found.values())

    def _root(self, at: int) -> int:
        while self._above[at] != at:
            self._above[at] = self._above[self._above[at]]
            at = self._above[at]
        return at


def _unsplittable(tasks: Sequence[Task], groups: Sequence[Sequence[int]]) -> str:
    if len(tasks) < 2:
        return "There are too few tasks to hold any of them out."
    largest = max(map(len, groups))
    names = Counter(name for task in tasks for name in task.files)
    name, count = names.most_common(1)[0] if names else ("", 0)
    often = f" (a document {name} is in {count:,})" if count > 1 else ""
    return (
        f"{largest:,} of {len(tasks):,} tasks share documents or ask the same{often}, so that none "
        "can be held out by document; hold out a larger share, or remove the documents that all "
        "of them have."
    )
