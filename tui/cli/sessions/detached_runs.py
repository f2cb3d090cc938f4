"""Finds and stops runs that go on without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.remote.client import RunClient
from sandbox_tui.sessions.remote.sockets import is_detached, remove_left_socket

MAX_TASK = 60
"""Maximum characters of a task in a list of runs."""


def detached_run(store: Store, name: str | None) -> RunSummary:
    """Return the detached run with this name; without a name, the newest one.

    Raises:
        ConfigError: there is none.
    """
    if name is None or name == "last":
        return detached_runs(store)[0]
    found = store.run(name)
    if found.outcome == "running" and found.elsewhere:
        raise ConfigError(f"{found.id} is running in {found.program}.")
    if found.outcome != "running" or not is_detached(found.id):
        ended = found.outcome.replace("_", " ")
        raise ConfigError(f"{found.id} is {ended}, so it is not a detached run.")
    return found


def only_detached_run(store: Store) -> RunSummary:
    """Return the detached run if there is exactly one.

    Raises:
        ConfigError: there is none, or the message lists them.
    """
    first, *others = detached_runs(store)
    if not others:
        return first
    lines = [f"  {run.id}  {sanitize_line(run.title or run.task)}" for run in (first, *others)]
    listed = "\n".join(line[: MAX_TASK + len(first.id)] for line in lines)
    raise ConfigError(f"{len(lines)} detached runs are running. Name those to stop:\n{listed}")


def detached_runs(store: Store) -> Sequence[RunSummary]:
    """Return all detached runs, the newest one first; at least one."""
    running = [run for run in store.standalone_runs(limit=500) if run.outcome == "running"]
    for run in running:
        remove_left_socket(run.id)
    found = [run for run in running if is_detached(run.id)]
    if not found:
        raise ConfigError("There is no detached run; `sandbox-tui run --detach` starts one.")
    return found


def stop_run(run: RunSummary, store: Store) -> None:
    """End a detached run and wait until it has ended.

    Raises:
        SandboxTuiError: its program cannot be reached.
    """

    async def end() -> None:
        worker = RunClient(run, store)
        await worker.stop("You stopped the run.")
        worker.leave()
        if worker.failure is not None:
            raise worker.failure

    asyncio.run(end())
