"""The runs started by this program, by id."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sandbox_tui.sessions.store.store import Store

if TYPE_CHECKING:  # so that programs that only read sessions import none of this
    from sandbox_tui.core.config.settings import Settings
    from sandbox_tui.core.lineage.open_fork import ForkRequest
    from sandbox_tui.core.run.run_request import RunRequest
    from sandbox_tui.sessions.recording.fork_worker import ForkPlan
    from sandbox_tui.sessions.recording.run_worker import RunWorker
    from sandbox_tui.sessions.store.run_summary import RunSummary

ENDED_BY_USER = "You ended the run."
"""Why runs end that the user ends, alone or with the program."""

TERMINAL_CLOSED = "Its terminal was closed."
"""Why runs end on SIGHUP."""


class RunRegistry:
    """The runs of one program; see `RunWorker`.

    Args:
        store: the database.

    Attributes:
        all: every run started, by session id, in order.
        detached: ids of the runs that moved to separate programs, in order.
        samples: ids of the runs that are samples of an evaluation; removed when they have ended.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.all: dict[str, RunWorker] = {}
        self.detached: list[str] = []
        self.samples: set[str] = set()
        self._watching: set[asyncio.Task[None]] = set()

    def begin(self, request: RunRequest) -> RunWorker:
        """Start a run in the background."""
        from sandbox_tui.sessions.recording.run_worker import RunWorker

        return self._started(RunWorker(request, self.store))

    def begin_sample(self, worker: RunWorker) -> RunWorker:
        """Start the run of a sample of an evaluation."""
        self.samples.add(worker.run_id)
        return self._started(worker)

    def release(self, worker: RunWorker) -> None:
        """Forget a run that has ended; it remains in the database."""
        if worker.ended.is_set():
            self.all.pop(worker.run_id, None)
            self.samples.discard(worker.run_id)

    def resume(self, run: RunSummary, settings: Settings, began: float | None = None) -> RunWorker:
        """Resume a run whose program has ended; see `ResumedWorker`.

        Raises:
            ResumeRefused: the run cannot be resumed; the message says why.
        """
        from sandbox_tui.sessions.recording.resume_worker import ResumedWorker

        before = self.all.get(run.id)
        return self._started(ResumedWorker(run, settings, self.store, began, before), before)

    def fork(self, plan: ForkPlan, request: ForkRequest) -> RunWorker:
        """Start a run that continues from the middle of a recorded one."""
        from sandbox_tui.sessions.recording.fork_worker import ForkWorker

        return self._started(ForkWorker(plan, request, self.store))

    def _started(self, worker: RunWorker, before: RunWorker | None = None) -> RunWorker:
        self.all[worker.run_id] = worker
        worker.start()
        watching = asyncio.create_task(self._give_up(worker, before))
        self._watching.add(watching)
        watching.add_done_callback(self._watching.discard)
        return worker

    async def _give_up(self, worker: RunWorker, before: RunWorker | None) -> None:
        """Release a run that could not be recorded completely, so that it can be opened, resumed
        and deleted although this program is still alive; one that has ended and can be resumed,
        once another program asks for it. If a resumption was refused, the run is what it was
        `before`."""
        from sandbox_tui.sessions.recording.give_way import give_way, was_refused

        await worker.ended.wait()
        if was_refused(worker) and self.all.get(worker.run_id) is worker:
            del self.all[worker.run_id]
            if before is None:
                return
            self.all[worker.run_id] = worker = before
        if worker.failure is not None and worker.state.seq and worker.state.finished is None:
            await asyncio.to_thread(self.store.give_up, worker.run_id)
        await give_way(worker, self.store, lambda: self.all.get(worker.run_id) is worker)

    @property
    def own(self) -> list[RunWorker]:
        """Runs that are not samples of an evaluation."""
        return [worker for run_id, worker in self.all.items() if run_id not in self.samples]

    @property
    def unfinished(self) -> list[RunWorker]:
        """Runs that have not been cleaned up yet."""
        return [worker for worker in self.all.values() if not worker.ended.is_set()]

    @property
    def running(self) -> list[RunWorker]:
        """Runs that have not ended, without those that only clean up."""
        return [worker for worker in self.unfinished if worker.state.finished is None]

    async def stop(self, because: str) -> None:
        """End all runs, and wait until everything is cleaned up."""
        await asyncio.gather(*(worker.stop(because) for worker in self.unfinished))
        await self.release_sandboxes()

    async def disconnect(self) -> None:
        """End all runs so that they can be resumed, since the terminal was closed, and wait until
        everything is cleaned up. Samples are stopped: their evaluation runs them again."""
        ending = (
            worker.stop if worker.run_id in self.samples else worker.disconnect
            for worker in self.unfinished
        )
        await asyncio.gather(*(end(TERMINAL_CLOSED) for end in ending))
        await self.release_sandboxes()

    async def release_sandboxes(self) -> None:
        """Release the sandboxes of ended runs that can be resumed, as this program closes."""
        await asyncio.gather(*(worker.release_sandbox() for worker in self.all.values()))
