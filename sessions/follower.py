"""Makes keyframes beside the recording of a run, in the pauses in which the model thinks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from ..core import events as e
from ..core.errors import SandboxTuiError
from .keyframes import LIGHT, catch_up
from .pace import Pace
from .store import Store


class Follower:
    """Follows one recording.

    What it cannot do, or does not get done before the recording ends, is done when the session is
    opened: keyframes are never worth an error.

    Args:
        store: where it is recorded.
        run_id: the session.
    """

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self._pace = Pace()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="keyframes")
        self._work: asyncio.Future[None] | None = None
        self._fresh = 0

    def notice(self, batch: Sequence[e.AnyEvent]) -> None:
        """These have been stored."""
        self._fresh += len(batch)
        thinks = any(isinstance(event, e.ModelAsked) for event in batch)
        idle = self._work is None or self._work.done()
        if thinks and idle and self._fresh >= LIGHT:
            self._fresh = 0
            loop = asyncio.get_running_loop()
            self._work = loop.run_in_executor(self._thread, self._catch_up)

    def stop(self) -> None:
        """Follow no more."""
        self._pace.stop()

    async def close(self) -> None:
        """Wait until that is so; the store may be closed then."""
        self._pace.stop()
        if self._work is not None:
            await asyncio.wait([self._work])
        self._thread.shutdown(wait=False)

    def _catch_up(self) -> None:
        with contextlib.suppress(SandboxTuiError):
            catch_up(self._store, self._run_id, rest=self._pace)
