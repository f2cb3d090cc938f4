"""Snapshots and the sessions they belong to: listed, pruned, and removed with their session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sandbox_tui.core.config.settings import snapshot_dir
from sandbox_tui.core.sandboxes.base import StoredSnapshot
from sandbox_tui.core.sandboxes.snapshot_store import SnapshotStores
from sandbox_tui.sessions.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotInventory:
    """The snapshots on this machine.

    Attributes:
        own: of sessions in this database.
        orphaned: of sessions that were deleted from it.
        foreign_count: number of snapshots of sessions that it never had.
        problem: why some may be missing here, as a sentence; otherwise empty.
    """

    own: Sequence[StoredSnapshot]
    orphaned: Sequence[StoredSnapshot]
    foreign_count: int
    problem: str


def snapshot_inventory(store: Store) -> SnapshotInventory:
    """Return all snapshots on this machine, grouped by owner.

    Raises:
        StoreError: the sessions cannot be read.
    """
    found, problem = SnapshotStores(snapshot_dir()).list()
    sessions = {one.session for one in found}
    here = {session for session in sessions if store.has_run(session)}
    left = set(store.orphaned_snapshots()) - here
    return SnapshotInventory(
        own=[one for one in found if one.session in here],
        orphaned=[one for one in found if one.session in left],
        foreign_count=sum(one.session not in here | left for one in found),
        problem=problem,
    )


def remove_orphaned_snapshots(store: Store) -> list[str]:
    """Remove the snapshots of deleted sessions; return a sentence for each failure.

    Snapshots that cannot be removed now stay recorded as orphaned, for the next attempt.

    Raises:
        StoreError: the write failed.
    """
    stored = SnapshotStores(snapshot_dir())
    problems: list[str] = []
    for run_id, sandbox in store.orphaned_snapshots().items():
        if store.has_run(run_id):  # it has been imported again
            continue
        found, problem = stored.list(run_id)
        if sandbox != "docker":
            problem = ""
        failed = stored.remove_all(found)
        problems += failed
        if not failed and not problem:
            store.forget_orphaned_snapshots(run_id)
        elif problem:
            problems.append(f"Snapshots of {run_id} may be left: {problem}")
    return problems
