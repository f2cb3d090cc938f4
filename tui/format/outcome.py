"""Describes how a session ended."""

from __future__ import annotations

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.remote.sockets import is_detached


def short_outcome(run: RunSummary) -> str:
    """Return `outcome_words` for a narrow column."""
    return "detached" if _runs_detached(run) else outcome_words(run)


def outcome_words(run: RunSummary) -> str:
    """Return how a session ended, or that it is running, and where."""
    if _runs_detached(run):
        return "running (detached)"
    if run.outcome == "running" and run.elsewhere:
        return f"running on {sanitize_line(run.elsewhere)}"
    return run.outcome.replace("_", " ")


def _runs_detached(run: RunSummary) -> bool:
    return run.outcome == "running" and is_detached(run.id)
