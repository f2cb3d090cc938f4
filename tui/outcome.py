"""How a session ended, in words."""

from __future__ import annotations

from ..sessions import RunSummary
from ..sessions.sockets import is_detached


def outcome_words(run: RunSummary) -> str:
    """How a session ended, or that it runs, and where."""
    if run.outcome == "running" and is_detached(run.id):
        return "running (detached)"
    return run.outcome.replace("_", " ")
