"""Tells whether a run that could be resumed by its record has lost its sandbox."""

from __future__ import annotations

from sandbox_tui.sessions.store.run_summary import RunSummary


def has_lost_sandbox(run: RunSummary) -> bool:
    """Return whether a run could be resumed if its sandbox still existed; it can be forked. Blocks
    while the Docker engine is asked, which only runs that could be resumed need."""
    if not run.is_resumable or run.imported or run.elsewhere:
        return False
    from sandbox_tui.core.sandboxes.left_behind import is_gone  # imports the Docker client

    return is_gone(run.sandbox, run.id)
