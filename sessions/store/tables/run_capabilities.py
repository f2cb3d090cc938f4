"""A cache of meta-capabilities: how the calls of a run are classified. Classification takes half a
millisecond per call, and a report covers many runs.

A row is valid as long as its run has no newer events and the rules are unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from sandbox_tui.core.evals.meta_capabilities.capability import RunCapabilities
from sandbox_tui.core.evals.meta_capabilities.rules import RULES_VERSION
from sandbox_tui.sessions.store.database import Database

MAX_RUNS_PER_QUERY = 500


def load(database: Database, run_ids: Sequence[str]) -> Iterator[tuple[str, RunCapabilities]]:
    """Yield the cached capabilities of these runs.

    Raises:
        StoreError: the database cannot be read.
    """
    for at in range(0, len(run_ids), MAX_RUNS_PER_QUERY):
        batch = run_ids[at : at + MAX_RUNS_PER_QUERY]
        marks = ", ".join("?" * len(batch))
        rows = database.rows(
            "SELECT run_id, json FROM run_capabilities AS known JOIN runs ON runs.id = run_id"
            f" WHERE rules = ? AND known.last_seq = runs.last_seq AND run_id IN ({marks})",
            [RULES_VERSION, *batch],
        )
        for row in rows:
            yield row["run_id"], msgspec.json.decode(row["json"], type=RunCapabilities)


def save(database: Database, found: Mapping[str, RunCapabilities]) -> None:
    """Cache the capabilities of runs; deleted runs are left out.

    Raises:
        StoreError: the write failed.
    """
    with database.transaction() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO run_capabilities (run_id, rules, last_seq, json)"
            " SELECT id, ?, last_seq, ? FROM runs WHERE id = ?",
            (
                (RULES_VERSION, msgspec.json.encode(used).decode(), run_id)
                for run_id, used in found.items()
            ),
        )
