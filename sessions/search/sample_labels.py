"""Names the samples of evaluations: all samples of a suite may begin with the same words."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec

from sandbox_tui.sessions.store.store import Store


class _Suite(msgspec.Struct):
    suite: str


def sample_labels(store: Store, run_ids: Iterable[str]) -> dict[str, str]:
    """Return suite and task of each session that is a sample of an evaluation.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows(
        "SELECT s.run_id, s.task, s.mode, evals.info FROM eval_samples AS s"
        " JOIN evals ON evals.id = s.eval_id"
        " WHERE s.run_id IN (SELECT value FROM json_each(?))",
        [json.dumps(sorted(set(run_ids)))],
    )
    suites = {row["info"]: msgspec.json.decode(row["info"], type=_Suite).suite for row in rows}
    return {row["run_id"]: f"{suites[row['info']]} {row['task']} ({row['mode']})" for row in rows}
