"""All runs this program has begun, by id."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .store import Store

if TYPE_CHECKING:  # who only looks at sessions needs nothing of what runs them
    from ..core.config import Settings
    from ..core.fork_launch import ForkRequest
    from ..core.launch import RunRequest
    from .fork import Plan
    from .summary import RunSummary
    from .worker import Worker


class Workers:
    """The runs of one program; see `Worker`.

    Args:
        store: where they are kept.

    Attributes:
        all: every one begun, by session id, in the order in which they began.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.all: dict[str, Worker] = {}

    def begin(self, request: RunRequest) -> Worker:
        """Start a run in the background."""
        from .worker import Worker

        return self._started(Worker(request, self.store))

    def resume(self, run: RunSummary, settings: Settings) -> Worker:
        """Take a run up whose program is gone.

        Raises:
            ResumeRefused: it cannot be taken up, saying why.
        """
        from .resume import ResumedWorker

        return self._started(ResumedWorker(run, settings, self.store))

    def fork(self, plan: Plan, request: ForkRequest) -> Worker:
        """Start a run that goes on from the middle of a saved one."""
        from .fork import ForkWorker

        return self._started(ForkWorker(plan, request, self.store))

    def _started(self, worker: Worker) -> Worker:
        self.all[worker.run_id] = worker
        worker.start()
        return worker

    @property
    def alive(self) -> list[Worker]:
        """Those that have not been put away yet."""
        return [worker for worker in self.all.values() if not worker.ended.is_set()]

    @property
    def going(self) -> list[Worker]:
        """Those that are not over; others may still be being put away."""
        return [worker for worker in self.alive if worker.state.finished is None]

    async def stop(self, because: str) -> None:
        """End all of them, and wait until everything is put away."""
        await asyncio.gather(*(worker.stop(because) for worker in self.alive))
