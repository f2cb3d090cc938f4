"""The model of the newest session, which the form for the next run offers."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from sandbox_tui.core.config.settings import Settings, changed
from sandbox_tui.sessions.store.run_summary import summary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.runs import has_own_reply, newest_standalone

RUNS_READ = (20, 1000)
"""How many of the newest runs are inspected: more only if the first have no model that works, as
after many runs on a server that did not answer."""


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


def with_last_model(settings: Settings, last: LastModel | None) -> Settings:
    """Return the settings with the model and server of the last run if they name no model; a server
    that they name stays."""
    if last is None or settings.model.name:
        return settings
    if settings.model.base_url not in ("", last.base_url):
        return settings
    return changed(settings, {"model.name": last.name, "model.base_url": last.base_url})


def later_of(one: LastModel | None, other: LastModel | None) -> LastModel | None:
    """Return the model that was used last; None if there is none."""
    return max(filter(None, (one, other)), key=lambda found: found.used_at, default=None)


def last_model(store: Store) -> LastModel | None:
    """Return the model of the newest session that had a server, was recorded here and belongs to no
    evaluation or training; None if there is none.

    A run that ended without a reply does not count: its model or server may never have worked.

    Raises:
        StoreError: the database cannot be read.
    """
    found = (_newest_in(store, count) for count in RUNS_READ)
    return next((last for last in found if last is not None), None)


def _newest_in(store: Store, count: int) -> LastModel | None:
    for row in newest_standalone(store, count):
        params: dict[str, Any] = json.loads(row["model_params"] or "{}")
        has_server = "base_url" in params  # the demo has none
        if row["model"] and has_server and not row["imported"] and _may_work(store, row):
            used_at = float(row["started_at"] or 0.0)
            return LastModel(str(row["model"]), str(params["base_url"] or ""), used_at)
    return None


def _may_work(store: Store, row: dict[str, Any]) -> bool:
    return summary(row).outcome == "running" or has_own_reply(store, row)
