"""Writes keyframes while a run is recorded, during the pauses in which the model thinks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.playback.keyframes import MIN_WEIGHT, catch_up
from sandbox_tui.sessions.playback.throttle import Throttle
from sandbox_tui.sessions.store.store import Store


class KeyframeWriter:
    """Writes the keyframes of one recording on a best-effort basis.

    Errors are ignored: missing keyframes are written when the session is opened.

    Args:
        store: the database.
        run_id: the session.
    """

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self._throttle = Throttle()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="keyframes")
        self._work: asyncio.Future[None] | None = None
        self._fresh = 0

    def on_stored(self, batch: Sequence[e.AnyEvent]) -> None:
        """Called after a batch of events has been stored."""
        self._fresh += len(batch)
        thinks = any(isinstance(event, e.ModelAsked) for event in batch)
        idle = self._work is None or self._work.done()
        if thinks and idle and self._fresh >= MIN_WEIGHT:
            self._fresh = 0
            loop = asyncio.get_running_loop()
            self._work = loop.run_in_executor(self._thread, self._catch_up)

    def stop(self) -> None:
        """Write no more keyframes."""
        self._throttle.stop()

    async def close(self) -> None:
        """Stop and wait for the thread; the store may be closed afterwards."""
        self._throttle.stop()
        if self._work is not None:
            await asyncio.wait([self._work])
        self._thread.shutdown(wait=False)

    def _catch_up(self) -> None:
        with contextlib.suppress(SandboxTuiError):
            catch_up(self._store, self._run_id, should_continue=self._throttle)
