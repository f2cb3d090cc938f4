"""Which format of tool calls worked with a model, learnt from the runs before."""

from __future__ import annotations

import json
from typing import Any

from sandbox_tui.core.events import types as e
from sandbox_tui.core.models.error_mapping import without_secrets
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import events

MAX_RUNS_READ = 20
"""The newest runs of a model that are looked at."""


def known_tool_format(store: Store, model: str, base_url: str) -> e.ToolFormat | None:
    """The format in which the newest run with this model on this server made calls.

    Only runs count that called a tool, native or after they had settled by themselves (mode
    `auto`), and that were recorded here. None where calls were native, or where there is no run.
    """
    rows = store.rows(
        "SELECT id, model_params FROM runs WHERE model = ? AND calls > 0"
        " AND NOT imported"
        " ORDER BY started_at DESC LIMIT ?",
        [model, MAX_RUNS_READ],
    )
    for row in rows:
        params: dict[str, Any] = json.loads(row["model_params"] or "{}")
        same_server = params.get("base_url", "") == without_secrets(base_url)
        if not same_server or params.get("tool_calls") not in ("auto", "native"):
            continue
        return _used_tool_format(store, row["id"])
    return None


def last_tool_format(store: Store, run_id: str) -> e.ToolFormat | None:
    """The format on which a run settled last; None: its calls are native."""
    event = events.last_of_kind(store, run_id, "ToolFormatChosen")
    return event.format if isinstance(event, e.ToolFormatChosen) else None


def _used_tool_format(store: Store, run_id: str) -> e.ToolFormat | None:
    """The last format of a run in which it made a call."""
    rows = store.rows(
        "SELECT max(seq) AS seq FROM events WHERE run_id = ?1 AND kind = 'ToolFormatChosen'"
        " AND seq < (SELECT max(seq) FROM events WHERE run_id = ?1 AND kind = 'CallProposed')",
        [run_id],
    )
    seq: int | None = rows[0]["seq"]
    if seq is None:
        return None
    event = events.read_at(store, run_id, [seq])[seq]
    return event.format if isinstance(event, e.ToolFormatChosen) else None
