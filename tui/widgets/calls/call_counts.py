"""The counts in the border of the list of calls."""

from __future__ import annotations

from sandbox_tui.core.events.run_state import RunState


def call_counts(state: RunState) -> list[str]:
    """Return how many calls failed, how many were edited, and how often the user took part."""
    failed, edited = state.totals.failed_calls, state.edited_calls
    counts = {"failed": failed, "edited": edited, "yours": len(state.humans)}
    return [f"{number} {word}" for word, number in counts.items() if number]
