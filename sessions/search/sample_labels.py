"""Names the samples of evaluations: all samples of a suite may begin with the same words."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from sandbox_tui.sessions.store.store import Store


class _Suite(msgspec.Struct):
    suite: str


def sample_labels(store: Store, run_ids: Iterable[str]) -> dict[str, str]:
    """Return suite, task and mode of each session that is a sample of an evaluation, with its
    number if there are several of them.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows(
        "SELECT s.run_id, s.task, s.mode, s.number, evals.info, EXISTS (SELECT 1 FROM"
        " eval_samples o WHERE (o.eval_id, o.task, o.mode) = (s.eval_id, s.task, s.mode)"
        " AND o.number <> s.number) AS several FROM eval_samples AS s"
        " JOIN evals ON evals.id = s.eval_id"
        " WHERE s.run_id IN (SELECT value FROM json_each(?))",
        [json.dumps(sorted(set(run_ids)))],
    )
    suites = {row["info"]: msgspec.json.decode(row["info"], type=_Suite).suite for row in rows}
    return {row["run_id"]: f"{suites[row['info']]} {_sample_of(row)}" for row in rows}


def _sample_of(row: dict[str, Any]) -> str:
    number = f" #{row['number']}" if row["several"] else ""
    return f"{row['task']}{number} ({row['mode']})"
