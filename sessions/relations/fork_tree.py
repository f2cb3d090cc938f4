"""Arranges sessions as trees of forks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sandbox_tui.sessions.relations.fork_origin import (
    ForkOrigin,
    SharedPart,
    read_origin,
    read_origins,
    shared_parts,
)
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.runs import stored_among


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """A session's position in its tree of forks.

    Attributes:
        depth: number of forks between it and its oldest listed ancestor.
        origin: where it was forked from, and what was changed; None if it is not a fork.
        shared: what it took over from its parent.
        is_orphan: whether its parent was deleted.
    """

    depth: int = 0
    origin: ForkOrigin | None = None
    shared: SharedPart = field(default_factory=SharedPart)
    is_orphan: bool = False


def in_tree_order(runs: Sequence[RunSummary]) -> list[tuple[RunSummary, int]]:
    """Return sessions with their depth: each fork after its parent, otherwise in the given order.

    A tree takes the position of its first member, so that a new fork appears near the top of a list
    sorted by date. A fork whose parent is not listed is a root.
    """
    known = {run.id for run in runs}
    children: dict[str, list[RunSummary]] = {}
    for run in runs:
        if run.parent is not None and run.parent in known and run.parent != run.id:
            children.setdefault(run.parent, []).append(run)
    below = {child.id for group in children.values() for child in group}
    found: list[tuple[RunSummary, int]] = []
    seen: set[str] = set()
    eldest = {run.id: run for run in runs if run.id not in below}
    by_id = {run.id: run for run in runs}
    roots = list(dict.fromkeys(_oldest_ancestor(run, by_id) for run in runs))
    waiting = [(eldest[root], 0) for root in reversed(roots) if root in eldest]
    while waiting:
        run, depth = waiting.pop()
        if run.id in seen:
            continue
        seen.add(run.id)
        found.append((run, depth))
        waiting += [(child, depth + 1) for child in reversed(children.get(run.id, []))]
    return found + [(run, 0) for run in runs if run.id not in seen]  # in a cycle (damaged file)


def _oldest_ancestor(run: RunSummary, by_id: Mapping[str, RunSummary]) -> str:
    """Return a run's oldest listed ancestor; in a cycle, any of its members."""
    seen: set[str] = set()
    while run.parent is not None and run.parent in by_id and run.id not in seen:
        seen.add(run.id)
        run = by_id[run.parent]
    return run.id


def with_lineage(store: Store, runs: Sequence[RunSummary]) -> list[tuple[RunSummary, Lineage]]:
    """Return the sessions in the order of `in_tree_order`, with their origins and what they took
    over.

    Raises:
        StoreError: the database cannot be read.
    """
    origins, shared = read_origins(store, runs), shared_parts(store, runs)
    none, orphans = SharedPart(), _orphans(store, runs)
    return [
        (
            run,
            Lineage(
                depth=depth,
                origin=origins.get(run.id),
                shared=shared.get(run.id, none),
                is_orphan=run.id in orphans,
            ),
        )
        for run, depth in in_tree_order(runs)
    ]


def _orphans(store: Store, runs: Sequence[RunSummary]) -> set[str]:
    """Return the forks among these sessions whose parents were deleted."""
    here = {run.id for run in runs}
    parents = {run.id: run.parent for run in runs if run.parent and run.parent not in here}
    if not parents:
        return set()
    stored = stored_among(store, set(parents.values()))
    return {run_id for run_id, parent in parents.items() if parent not in stored}


def fork_place(store: Store, run: RunSummary) -> str:
    """Return where a session parts from its parent, such as `after step 4`; empty if it is no fork.

    Raises:
        StoreError: the database cannot be read.
    """
    origin = read_origin(store, run)
    return "" if origin is None else origin.place
