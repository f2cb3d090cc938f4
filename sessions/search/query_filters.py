"""The filters of search queries, and their values."""

from __future__ import annotations

from collections.abc import Mapping

from sandbox_tui.sessions.search.number_filters import NUMBER_FILTERS

FILTERS: Mapping[str, str] = {
    "model": "part of a model's name",
    "outcome": "submitted, failed, running, or why it ended",
    "tag": "a tag",
    "tool": "part of a tool's name",
    "after": "2026-11-01, today, yesterday or 7d",
    "before": "2026-11-01, today, yesterday or 7d",
    **NUMBER_FILTERS,
    "is": "sample (of an evaluation or a training) or own (any other session)",
}
"""Filters by name, with the values they accept."""

IS = ("own", "sample")
"""Values of `is`."""

ENDINGS = (
    *("submitted", "failed", "running", "interrupted", "max_steps", "token_limit", "time_limit"),
    *(
        "cost_limit",
        "repeated_calls",
        "cancelled",
        "disconnected",
        "model_unavailable",
        "model_error",
        "sandbox_error",
        "store_error",
        "internal_error",
        "imported",
    ),
)
"""Outcomes of a session; `failed` stands for any end except `submitted` and `imported`."""
