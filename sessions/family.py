"""Who was forked from whom: sessions as the trees they form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..core import events as e
from .packing import unpack
from .store import Store
from .summary import RunSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinship:
    """A session's place in its family.

    Attributes:
        depth: forks between it and the oldest ancestor that is listed.
        step: the step at which it parted from its parent; None where it is no fork.
    """

    depth: int = 0
    step: int | None = None


def arranged(runs: Sequence[RunSummary]) -> list[tuple[RunSummary, int]]:
    """Sessions with their depth: each fork after its parent, in the order they come in otherwise.

    A fork whose parent is not among them stands by itself.
    """
    known = {run.id for run in runs}
    children: dict[str, list[RunSummary]] = {}
    for run in runs:
        if run.parent is not None and run.parent in known and run.parent != run.id:
            children.setdefault(run.parent, []).append(run)
    below = {child.id for group in children.values() for child in group}
    found: list[tuple[RunSummary, int]] = []
    seen: set[str] = set()
    waiting = [(run, 0) for run in reversed(runs) if run.id not in below]
    while waiting:
        run, depth = waiting.pop()
        if run.id in seen:
            continue
        seen.add(run.id)
        found.append((run, depth))
        waiting += [(child, depth + 1) for child in reversed(children.get(run.id, []))]
    return found + [(run, 0) for run in runs if run.id not in seen]  # a circle, of a damaged file


def kinship(store: Store, runs: Sequence[RunSummary]) -> list[tuple[RunSummary, Kinship]]:
    """Sessions as `arranged`, with the steps at which forks parted.

    Raises:
        StoreError: the file cannot be read.
    """
    return [(run, Kinship(depth=depth, step=_step(store, run))) for run, depth in arranged(runs)]


def _step(store: Store, run: RunSummary) -> int | None:
    if run.parent is None or run.parent_seq is None:
        return None
    rows = store.rows(
        "SELECT packed, body FROM events WHERE run_id = ? AND seq = ?",
        [run.id, run.parent_seq + 1],
    )
    for row in rows:
        event = e.from_json(unpack(row["packed"], row["body"]))
        if isinstance(event, e.Forked):
            return event.step
    return None
