"""The model of the newest session, which the form for the next run offers."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.runs import newest_standalone

MAX_RUNS_READ = 20
"""Number of the newest runs that are inspected."""


class LastModel(NamedTuple):
    """A model that was used, and its server.

    Attributes:
        name: as its server knows it.
        base_url: the server's address without secrets; empty for OpenAI.
        used_at: seconds since the epoch.
    """

    name: str
    base_url: str
    used_at: float = 0.0


def later_of(one: LastModel | None, other: LastModel | None) -> LastModel | None:
    """Return the model that was used last; None if there is none."""
    return max(filter(None, (one, other)), key=lambda found: found.used_at, default=None)


def last_model(store: Store) -> LastModel | None:
    """Return the model of the newest session that had a server, was recorded here and belongs to no
    evaluation or training; None if there is none.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = newest_standalone(store, MAX_RUNS_READ)
    for row in rows:
        params: dict[str, Any] = json.loads(row["model_params"] or "{}")
        if row["model"] and "base_url" in params and not row["imported"]:  # the demo has no server
            used_at = float(row["started_at"] or 0.0)
            return LastModel(str(row["model"]), str(params["base_url"] or ""), used_at)
    return None
