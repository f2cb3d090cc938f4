"""Moves a run of this program into a program of its own.

A run cannot leave its process: this one stops it between two calls and lets go of its sandbox, and
a new program resumes it from its record, as it would after this one had been killed.
"""

from __future__ import annotations

import asyncio

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.sessions.recording.run_registry import RunRegistry
from sandbox_tui.sessions.recording.run_worker import RunWorker
from sandbox_tui.sessions.remote.detached import Job, begin


async def detach(worker: RunWorker, runs: RunRegistry) -> bool:
    """Let a new program continue a run, once its reply and its call that are under way have ended.

    Cancelling this before then lets the run go on here.

    Returns:
        False when the run ended meanwhile, or has not begun.

    Raises:
        SandboxTuiError: no program could take it; it continues in this one.
    """
    if not await worker.leave():
        return False
    return await asyncio.shield(_resume_elsewhere(worker, runs))


async def _resume_elsewhere(worker: RunWorker, runs: RunRegistry) -> bool:
    store, settings = runs.store, worker.request.settings
    await asyncio.to_thread(store.own, worker.run_id, ProcessIdentity.no_process())
    try:
        await asyncio.to_thread(begin, Job(settings=settings, resume=worker.run_id))
    except SandboxTuiError as error:
        runs.resume(store.run(worker.run_id), settings)
        raise SandboxTuiError(f"The run continues in this program. {error}") from error
    runs.release(worker)
    return True


def can_be_detached(runs: RunRegistry) -> list[RunWorker]:
    """Runs that go on and are no samples: those belong to their evaluation."""
    return [worker for worker in runs.running if worker.run_id not in runs.samples]
