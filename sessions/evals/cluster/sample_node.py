"""One node of an evaluation: runs samples on its machine and hands over their events as recorded.

It is a separate process with its own database in a temporary folder. Samples are deleted from it
when they have ended and been fetched.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.core.base.process_identity import raise_file_limit
from sandbox_tui.core.evals.scoring import SampleScoring
from sandbox_tui.core.events.types import AnyEvent
from sandbox_tui.core.sandboxes.bubblewrap.owner_record import OwnerRecord
from sandbox_tui.core.sandboxes.factory import providers
from sandbox_tui.sessions.evals.cluster.node_messages import (
    NodeEvents,
    NodeOutcome,
    NodeSetup,
)
from sandbox_tui.sessions.evals.cluster.scorer_code import install_code
from sandbox_tui.sessions.evals.sample_executor import SampleJob
from sandbox_tui.sessions.interchange.exports import bundle
from sandbox_tui.sessions.interchange.exports.base import Recording
from sandbox_tui.sessions.recording.run_registry import RunRegistry
from sandbox_tui.sessions.recording.run_worker import RunWorker
from sandbox_tui.sessions.store.store import Store

MAX_EVENTS_AT_ONCE = 256

PREFIX = "sandbox-tui-node-"


class SampleNode:
    """The samples of one node. Every method may be repeated after a broken connection."""

    def __init__(self) -> None:
        raise_file_limit()
        self._home = _make_home()
        os.environ["SANDBOX_TUI_HOME"] = str(self._home)
        self._store = Store(self._home / "sessions.db")
        self._registry = RunRegistry(self._store)
        self._samples: dict[str, _NodeSample] = {}

    async def prepare(self, setup: NodeSetup) -> str:
        """Prepare for samples; return why that is impossible, or an empty string."""
        here = version("sandbox-tui")
        if here != setup.version:
            return f"it has version {here} of sandbox-tui, and this program is {setup.version}"
        os.environ.update(setup.environment)
        await asyncio.to_thread(install_code, setup.code, self._home / "code")
        return ""

    async def begin(self, job: SampleJob) -> str:
        """Start the run of a sample; return why that is impossible, or an empty string."""
        if job.run_id in self._samples:
            return ""
        try:
            scoring = job.scoring()
        except SandboxTuiError as error:
            return str(error)
        worker = RunWorker(job.request, self._store, job.run_id, scoring)
        self._registry.begin_sample(worker)
        self._samples[job.run_id] = _NodeSample(worker, scoring)
        return ""

    async def events(self, run_id: str, after: int) -> NodeEvents:
        """Wait for events after a position, or for the end of the sample, and return them."""
        sample = self._samples[run_id]
        await sample.recorded_after(after)
        ended = sample.over

        def read() -> Sequence[AnyEvent]:
            found = self._store.events(run_id, after=after)
            return tuple(islice(found, MAX_EVENTS_AT_ONCE))

        events = await asyncio.to_thread(read)
        return NodeEvents(tuple(events), ended and len(events) < MAX_EVENTS_AT_ONCE)

    async def outcome(self, run_id: str) -> NodeOutcome:
        """Return the outcome of a sample; wait until its run has ended and is cleaned up."""
        sample = self._samples[run_id]
        await sample.worker.ended.wait()
        failure = sample.worker.failure
        return NodeOutcome(
            bundle=await asyncio.to_thread(self._bundle, run_id),
            problem="" if failure is None else str(failure),
            memory=sample.scoring.memory,
        )

    async def forget(self, run_id: str) -> None:
        """Delete a sample that has ended."""
        sample = self._samples.pop(run_id, None)
        if sample is not None:
            self._registry.release(sample.worker)
            await asyncio.to_thread(self._store.delete, run_id)

    async def stop(self, run_id: str, because: str) -> None:
        """End the run of a sample and wait until it is cleaned up."""
        sample = self._samples.get(run_id)
        if sample is not None:
            await sample.worker.stop(because)

    async def close(self) -> None:
        """End all runs and remove everything of this node."""
        await self._registry.stop("The evaluation ended.")
        await providers().close()
        self._store.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def _bundle(self, run_id: str) -> bytes:
        try:
            (part,) = bundle.write(Recording(self._store, run_id))
        except StoreError:  # nothing was recorded, or the session is too large for a bundle
            return b""
        return part.data


class _NodeSample:
    """A running sample, and how much of it is recorded."""

    def __init__(self, worker: RunWorker, scoring: SampleScoring) -> None:
        self.worker = worker
        self.scoring = scoring
        self.over = False
        self._seq = 0
        self._moved = asyncio.Condition()
        self._following = asyncio.create_task(self._follow())

    async def recorded_after(self, seq: int) -> None:
        """Wait until an event after `seq` is recorded or the sample has ended."""
        async with self._moved:
            await self._moved.wait_for(lambda: self.over or self._seq > seq)

    async def _follow(self) -> None:
        try:
            async for event in self.worker.watch():
                await self._move(event.seq)
        except SandboxTuiError:  # its database cannot be read, which the outcome reports
            await self.worker.ended.wait()
        self.over = True
        await self._move(self._seq)

    async def _move(self, seq: int) -> None:
        async with self._moved:
            self._seq = seq
            self._moved.notify_all()


def _make_home() -> Path:
    """Return a private folder, which `workspace.sweep` removes after this process has ended."""
    home = Path(tempfile.mkdtemp(prefix=PREFIX))
    OwnerRecord.of_this_process(home.name, 0).write(home)
    return home
