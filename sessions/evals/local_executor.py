"""Runs samples in this program."""

from __future__ import annotations

import asyncio

from sandbox_tui.sessions.evals.sample_executor import SampleJob, SampleRun
from sandbox_tui.sessions.recording.run_registry import RunRegistry
from sandbox_tui.sessions.recording.run_worker import RunWorker


class LocalExecutor:
    """Runs samples as workers of this program; both a `SampleExecutor` and its own `SamplePlace`.

    Args:
        registry: the program's runs, which include samples while they run.
        concurrency: samples at once.
    """

    problem = ""

    def __init__(self, registry: RunRegistry, concurrency: int) -> None:
        self._registry = registry
        self._room = asyncio.Semaphore(concurrency)

    async def open(self) -> None:
        """Do nothing."""

    async def place(self) -> LocalExecutor:
        """Wait for a free slot and reserve it."""
        await self._room.acquire()
        return self

    def begin(self, job: SampleJob) -> SampleRun:
        """Start the run of a sample in the background.

        Raises:
            ConfigError: its scorer cannot be used.
        """
        scoring = job.scoring()
        worker = RunWorker(job.request, self._registry.store, job.run_id, scoring)
        self._registry.begin_sample(worker)
        return SampleRun(worker, lambda: scoring.memory)

    def release(self) -> None:
        """Return the slot."""
        self._room.release()

    async def close(self) -> None:
        """Do nothing."""
