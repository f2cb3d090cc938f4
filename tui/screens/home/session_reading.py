"""What the list of sessions shows, read from the database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.recording.awaiting_person import waiting_runs
from sandbox_tui.sessions.relations.fork_tree import Lineage, with_lineage
from sandbox_tui.sessions.store.tables.annotations import all_tags


class Listed(NamedTuple):
    """What the list of sessions shows.

    Attributes:
        family: sessions with their places in their families.
        total: how many there are in all.
        tags: what people have put on them.
        waiting: those in which a call waits for a person.
    """

    family: list[tuple[RunSummary, Lineage]]
    total: int
    tags: dict[str, list[str]]
    waiting: frozenset[str]


def read_sessions(store: Store, limit: int) -> Listed:
    """Read the newest sessions.

    Raises:
        StoreError: the database cannot be read.
    """
    runs = store.runs(limit=limit)
    running = [run.id for run in runs if run.outcome == "running"]
    waiting = waiting_runs(store, running)
    return Listed(with_lineage(store, runs), store.count(), all_tags(store), waiting)


def read_running(store: Store, run_ids: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Which of these sessions are still running, and which of those wait for a person.

    Raises:
        StoreError: the database cannot be read.
    """
    runs = [store.run(run_id) for run_id in run_ids]
    running = frozenset(run.id for run in runs if run.outcome == "running")
    return running, waiting_runs(store, running)
