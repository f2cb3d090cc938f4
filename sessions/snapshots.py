"""Snapshots and the sessions they belong to: shown, pruned, and gone with their session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..core.sandboxes.kept_snapshots import Kept, kept, remove_all
from .store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The snapshots that stand.

    Attributes:
        own: those of sessions of this database.
        left: those of sessions that were deleted from it.
        others: how many belong to sessions that it never had.
        problem: why some may be missing here, as a sentence; empty when none are.
    """

    own: Sequence[Kept]
    left: Sequence[Kept]
    others: int
    problem: str


def standing(store: Store) -> Standing:
    """All snapshots on this machine, by whose they are.

    Raises:
        StoreError: the sessions cannot be read.
    """
    found, problem = kept()
    sessions = {one.session for one in found}
    here = {session for session in sessions if _is_here(store, session)}
    left = {str(row["run_id"]) for row in store.rows("SELECT run_id FROM snapshots_left")} - here
    return Standing(
        own=[one for one in found if one.session in here],
        left=[one for one in found if one.session in left],
        others=sum(one.session not in here | left for one in found),
        problem=problem,
    )


def clear_left(store: Store) -> list[str]:
    """Remove the snapshots of deleted sessions; a sentence for each that could not be.

    What cannot be reached now stays noted, and is tried again the next time.

    Raises:
        StoreError: the note could not be written.
    """
    problems: list[str] = []
    for row in store.rows("SELECT run_id, sandbox FROM snapshots_left"):
        run_id = str(row["run_id"])
        if _is_here(store, run_id):  # it was imported again meanwhile
            continue
        found, problem = kept(run_id)
        if row["sandbox"] != "docker":
            problem = ""
        failed = remove_all(found)
        problems += failed
        if not failed and not problem:
            with store.transaction() as connection:
                connection.execute("DELETE FROM snapshots_left WHERE run_id = ?", [run_id])
        elif problem:
            problems.append(f"Snapshots of {run_id} may be left: {problem}")
    return problems


def _is_here(store: Store, session: str) -> bool:
    return bool(store.rows("SELECT 1 FROM runs WHERE id = ?", [session]))
