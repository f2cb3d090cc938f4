"""Finds the run to resume; if there is nothing to resume, says which runs could be."""

from __future__ import annotations

from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.recording.resume_worker import ResumeRefused, problem_with
from sandbox_tui.sessions.store.run_summary import has_lost_sandbox
from sandbox_tui.tui.cli.open_store import session_named
from sandbox_tui.tui.format.titles import cut_title, task_title

MAX_LOOKED_AT = 100
"""Newest runs among which those that can be resumed are looked for."""

MAX_LISTED = 5
"""Maximum number of runs that the message lists."""

MAX_TASK = 60
"""Maximum columns of a task in the list."""


def run_to_resume(store: Store, name: str) -> RunSummary:
    """Return the session with this name.

    Raises:
        ResumeRefused: it cannot be resumed; for `last`, the message lists those that can.
    """
    run = session_named(store, name)
    problem = problem_with(run)
    if problem:
        raise ResumeRefused(problem + (_others(store) if name == "last" else ""))
    return run


def _others(store: Store) -> str:
    found: list[RunSummary] = []
    for run in store.standalone_runs(limit=MAX_LOOKED_AT):
        if not problem_with(run) and not has_lost_sandbox(run):
            found.append(run)
        if len(found) == MAX_LISTED:
            break
    listed = "".join(f"\n  {run.id}  {cut_title(task_title(run), MAX_TASK)}" for run in found)
    return f"\nThese can be resumed with `sandbox-tui resume ID`:{listed}" if found else ""
