"""Resumes a run in this program, whichever program ran it before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox_tui.sessions.remote.sockets import remove_left_socket

if TYPE_CHECKING:  # so that programs that only read sessions import none of this
    from sandbox_tui.core.config.settings import Settings
    from sandbox_tui.sessions.recording.run_registry import RunRegistry
    from sandbox_tui.sessions.recording.run_worker import RunWorker
    from sandbox_tui.sessions.store.run_summary import RunSummary


NO_LONGER_DETACHED = (
    "This run was detached. It now runs in this program; quitting offers to detach it again."
)
"""What to say when a killed detached run was resumed here."""


def resume_here(run: RunSummary, settings: Settings, runs: RunRegistry) -> RunWorker:
    """Resume a run whose program has ended; it is no longer detached.

    Raises:
        ResumeRefused: the run cannot be resumed; the message says why.
    """
    worker = runs.resume(run, settings)
    remove_left_socket(run.id)
    return worker
