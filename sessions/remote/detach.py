"""Moves a run from this program into a separate one.

A run cannot leave its process. Instead, this program stops it between two calls and releases its
sandbox, and a new program resumes it from its record, as if this one had been killed. The run's
clock runs on meanwhile.
"""

from __future__ import annotations

import asyncio

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.sessions.recording.run_registry import RunRegistry
from sandbox_tui.sessions.recording.run_worker import RunWorker
from sandbox_tui.sessions.remote.detached import Job, begin


async def detach(worker: RunWorker, runs: RunRegistry) -> bool:
    """Let a new program continue a run after the current reply and call have ended.

    If this is cancelled before then, the run continues here.

    Returns:
        False if the run ended in the meantime or has not begun.

    Raises:
        SandboxTuiError: no program could take over; the run continues in this one.
    """
    if not await worker.leave():
        return False
    return await asyncio.shield(_resume_elsewhere(worker, runs))


async def _resume_elsewhere(worker: RunWorker, runs: RunRegistry) -> bool:
    store, settings, began = runs.store, worker.request.settings, worker.began
    job = Job(settings=settings, resume=worker.run_id, began=began)

    def hand_over(program: ProcessIdentity) -> None:
        """Make the program the owner at once: nobody else must take the run for interrupted."""
        store.set_owner(worker.run_id, program)

    try:
        await asyncio.to_thread(begin, job, hand_over)
    except SandboxTuiError as error:
        nobody = ProcessIdentity.no_process()  # that program may not have ended yet
        await asyncio.to_thread(store.set_owner, worker.run_id, nobody)
        runs.resume(store.run(worker.run_id), settings, began)
        raise SandboxTuiError(f"The run continues in this program. {error}") from error
    runs.detached.append(worker.run_id)
    runs.release(worker)
    return True


def can_be_detached(runs: RunRegistry) -> list[RunWorker]:
    """Return the active runs, except samples, which belong to their evaluation."""
    return [worker for worker in runs.running if worker.run_id not in runs.samples]
