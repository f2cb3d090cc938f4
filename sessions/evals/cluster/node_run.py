"""The run of a sample on a node, recorded here while it runs there.

Its events are fetched as the node records them, so that it can be watched here like any run. When
it has ended, its session arrives as a bundle with the contents of its files. They are stored before
its last event, so that a session that has ended is complete.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.evals.sandbox_memory import SandboxMemory
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.durability import Durability
from sandbox_tui.sessions.evals.cluster.node_messages import (
    NodeEvents,
    NodeHandle,
    NodeOutcome,
)
from sandbox_tui.sessions.evals.sample_executor import SampleJob
from sandbox_tui.sessions.interchange.imports import read_file
from sandbox_tui.sessions.recording.run_worker import EventSource, RunLost, RunWorker
from sandbox_tui.sessions.store.store import Store

NODE = "node"
"""Label of a run with the name of the node that it ran on."""


class NodeRun(RunWorker):
    """A run on a node, which can be watched and ended from here but not steered.

    Args:
        job: the sample.
        store: the database.
        node: the node that runs it.

    Attributes:
        memory: memory used by its sandbox, available when it has ended.
    """

    def __init__(self, job: SampleJob, store: Store, node: NodeHandle) -> None:
        super().__init__(job.request, store, job.run_id)
        self.memory: SandboxMemory | None = None
        self._job = job
        self._node = node
        self._durability = Durability()
        self._started_on_node = False

    @property
    @override
    def storage_error(self) -> str:
        return self._durability.stall_reason

    @property
    @override
    def can_be_steered(self) -> bool:
        return False

    @property
    @override
    def steers(self) -> bool:
        return False

    @property
    @override
    def audience(self) -> str:
        return f"on {self._node.name}"

    @override
    async def stop(self, because: str) -> None:
        self._durability.give_up()
        if self._started_on_node:
            with contextlib.suppress(SandboxTuiError):  # an error ends the run by itself
                await self._node.call("stop", self.run_id, because)
        elif self._working is not None:
            self._working.cancel()
        await self.ended.wait()

    @override
    async def _begin(self) -> EventSource:
        await self._recall_tool_format()
        self._durability.observers.append(self._notify_storage_error)
        return EventSource(self._events(), self._durability)

    async def _events(self) -> AsyncGenerator[e.AnyEvent]:
        """Yield the events that the node records, from the first one on.

        Raises:
            RunLost: the node is lost.
            SandboxTuiError: the run could not begin, or was not recorded completely.
        """
        self._started_on_node = True
        labels = {**self.request.labels, NODE: self._node.name}
        job = replace(self._job, request=replace(self.request, labels=labels))
        if problem := await self._node.call("begin", job):
            raise SandboxTuiError(f"{self._node.name}: {problem}")
        seq, ended = 0, False
        outcome: NodeOutcome | None = None
        while not ended:
            batch: NodeEvents = await self._node.call("events", self.run_id, seq)
            for event in batch.events:
                seq = event.seq
                if isinstance(event, e.RunFinished):
                    outcome = await self._fetch()
                yield event
            ended = batch.ended
        outcome = outcome or await self._fetch()
        with contextlib.suppress(RunLost):
            await self._node.call("forget", self.run_id)
        if outcome.problem:
            raise SandboxTuiError(f"{self._node.name}: {outcome.problem}")

    async def _fetch(self) -> NodeOutcome:
        """Fetch the remaining data of a sample that has ended."""
        outcome: NodeOutcome = await self._node.call("outcome", self.run_id)
        self.memory = outcome.memory
        if outcome.bundle:
            await asyncio.to_thread(keep_contents, self._store, self.run_id, outcome.bundle)
        return outcome

    @override
    async def _cleanup(self) -> None:
        """End the session if its node is lost."""
        if not isinstance(self.failure, RunLost):
            return
        if self.state.seq and self.state.finished is None:
            end = e.RunFinished(
                seq=self.state.seq + 1,
                t=self.state.t,
                reason="cancelled",
                error=str(self.failure),
                totals=self.state.totals,
            )
            await asyncio.to_thread(self._store.append, self.run_id, [end])
            await self._show(end)


def keep_contents(store: Store, run_id: str, data: bytes) -> None:
    """Store the file contents of a bundle for a session.

    Raises:
        ImportRefused: the bundle is damaged.
        StoreError: the write failed.
    """
    with tempfile.TemporaryDirectory(prefix="sandbox-tui-") as folder:
        file = Path(folder) / f"{run_id}.sbx"
        file.write_bytes(data)
        (session,) = read_file(file)
    with store.transaction():
        for content in session.contents:
            store.put_blob(run_id, content)
