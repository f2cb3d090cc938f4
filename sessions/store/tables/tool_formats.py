"""The format of tool calls that worked with a model, learned from earlier runs."""

from __future__ import annotations

import json
from typing import Any

from sandbox_tui.core.events import types as e
from sandbox_tui.core.models.error_mapping import without_secrets
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import events

MAX_RUNS_READ = 20
"""Number of a model's newest runs that are inspected."""


def known_tool_format(store: Store, model: str, base_url: str) -> e.ToolFormat | None:
    """Return the format in which the newest run with this model on this server made calls.

    Only runs recorded here count, and only if they called a tool, natively or in a format chosen
    automatically (mode `auto`). None if there is no such run.
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
    """Return the last tool format that a run settled on; None for native calls."""
    event = events.last_of_kind(store, run_id, "ToolFormatChosen")
    return event.format if isinstance(event, e.ToolFormatChosen) else None


def _used_tool_format(store: Store, run_id: str) -> e.ToolFormat | None:
    """Return the format of the last call of a run: how it was made, not how it was requested."""
    rows = store.rows(
        "SELECT (SELECT max(proposed_seq) FROM calls WHERE run_id = ?1) AS call,"
        " (SELECT max(seq) FROM events WHERE run_id = ?1 AND kind = 'ToolFormatChosen'"
        " AND seq < (SELECT max(proposed_seq) FROM calls WHERE run_id = ?1)) AS choice",
        [run_id],
    )
    call, choice = rows[0]["call"], rows[0]["choice"]
    if call is None:
        return None
    found = events.read_at(store, run_id, [seq for seq in (call, choice) if seq is not None])
    proposed, chosen = found[call], found.get(choice)
    is_native = isinstance(proposed, e.CallProposed) and not proposed.call.family
    if is_native or not isinstance(chosen, e.ToolFormatChosen):
        return e.ToolFormat()
    return chosen.format
