"""The model of the last run, which the form for the next one offers.

It is kept beside the database, so that deleting its session does not change it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

from sandbox_tui.core.base.write_file import write_private_file
from sandbox_tui.core.config.settings import Settings, changed
from sandbox_tui.sessions.store.run_summary import summary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.runs import newest_standalone

RUNS_READ = (20, 1000)
"""How many of the newest runs are inspected: more only if the first have no model that works, as
after many runs on a server that did not answer."""

FILE = "last-model.json"


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
    """Return the model of the last run that had a server, was recorded here and belongs to no
    evaluation or training, though its session was deleted since; None if there is none.

    A fork does not count: its model is that of its parent, or was chosen for it alone. A run that
    ended without a reply counts only if no other ever had one: its model or server may
    never have worked.

    Raises:
        StoreError: the database cannot be read.
    """
    file = store.path.with_name(FILE)
    kept = _read(file)
    if replied := later_of(kept, _newest_in(store, _has_replied)):
        if replied != kept:
            _write(file, replied)
        kept = replied
    waiting = _newest_in(store, _is_running)
    return later_of(kept, waiting) or _newest_in(store, _any)


def _read(file: Path) -> LastModel | None:
    """Return the model that was kept; None without one, or if its file cannot be read."""
    try:
        kept: Any = json.loads(file.read_text("utf-8"))
        fields = cast(dict[str, Any], kept)
        return LastModel(str(fields["name"]), str(fields["base_url"]), float(fields["used_at"]))
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None


def _write(file: Path, last: LastModel) -> None:
    with contextlib.suppress(OSError):  # the sessions still tell
        write_private_file(file, json.dumps(last._asdict()).encode())


def _newest_in(store: Store, counts: Callable[[dict[str, Any]], bool]) -> LastModel | None:
    """Return the model of the newest run that counts and had a server."""
    for most in RUNS_READ:
        for row in newest_standalone(store, most):
            params: dict[str, Any] = json.loads(row["model_params"] or "{}")
            is_own = not row["imported"] and not row["parent"]
            has_server = "base_url" in params  # the demo has none
            if row["model"] and has_server and is_own and counts(row):
                used_at = float(row["started_at"] or 0.0)
                return LastModel(str(row["model"]), str(params["base_url"] or ""), used_at)
    return None


def _has_replied(row: dict[str, Any]) -> bool:
    return int(row["steps"]) > 0


def _is_running(row: dict[str, Any]) -> bool:
    return summary(row).outcome == "running"


def _any(_: dict[str, Any]) -> bool:
    return True
