"""The runs of a program without a screen, watched and steered from screens of other programs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.sessions.recording.run_registry import RunRegistry
from sandbox_tui.sessions.remote.server import RunServer

if TYPE_CHECKING:
    from sandbox_tui.sessions.recording.run_worker import RunWorker
    from sandbox_tui.sessions.store.store import Store


class ServedRuns(RunRegistry):
    """A registry whose samples other programs can attach to while they run.

    Args:
        store: the database.
        complain: called with the error if a sample cannot be served; it runs all the same.
    """

    def __init__(self, store: Store, complain: Callable[[SandboxTuiError], object]) -> None:
        super().__init__(store)
        self._complain = complain
        self._serving: set[asyncio.Task[None]] = set()
        self._has_swept = False

    @override
    def begin_sample(self, worker: RunWorker) -> RunWorker:
        if worker.can_be_steered:  # not on the node of a cluster
            task = asyncio.create_task(self._serve(RunServer(worker), worker))
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)
        return super().begin_sample(worker)

    async def close(self) -> None:
        """Wait until the screens that watch runs that have ended know it."""
        await asyncio.gather(*self._serving)

    async def _serve(self, server: RunServer, worker: RunWorker) -> None:
        sweep, self._has_swept = not self._has_swept, True
        try:
            await server.open(sweep=sweep)
        except SandboxTuiError as error:
            self._complain(error)
            return
        try:
            await worker.ended.wait()
        finally:
            await server.close()
