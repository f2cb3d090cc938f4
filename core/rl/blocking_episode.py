"""Synchronous episodes, for trainers that do not use asyncio.

    with BlockingPool(settings, reward) as pool:
        episode = pool.episode()
        turn = episode.reset(task)
        result = episode.step("...")
        episode.close()

All episodes of a pool live in one event loop on one thread. Any thread may call them, and waits for
its own call.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.models.base import Message, Reply
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.group import EpisodeGroup
from sandbox_tui.core.rl.pool import CONCURRENCY, EpisodePool
from sandbox_tui.core.rl.rewards.base import Reward
from sandbox_tui.core.rl.rollouts.agent_episode import AgentEpisode
from sandbox_tui.core.rl.rollouts.record import EpisodeIdentity
from sandbox_tui.core.rl.turn import StepResult, Turn

T = TypeVar("T")


class LoopThread:
    """A thread that runs an event loop until `stop`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="episodes", daemon=True)
        self._thread.start()

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work in the loop and return its result; interrupting the wait cancels the work.

        Raises:
            RuntimeError: called on the loop's own thread, or after `stop`.
        """
        if threading.current_thread() is self._thread or self._loop.is_closed():
            work.close()
            raise RuntimeError(
                "A blocking episode cannot be used from its own event loop, or after it was closed."
            )
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """Stop the loop and its thread. Safe to call twice."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()


class BlockingEpisode:
    """An episode with blocking methods; see `Episode` for what they do and raise.

    Args:
        inner: the episode.
        thread: the thread that it lives on.

    Attributes:
        inner: as above.
    """

    def __init__(self, inner: AgentEpisode, thread: LoopThread) -> None:
        self.inner = inner
        self._thread = thread

    def reset(self, task: Task) -> Turn:
        """Start a task and return the first turn."""
        return self._thread.wait_for(self.inner.reset(task))

    def step(self, reply: Message | str | Reply) -> StepResult:
        """Answer the last turn."""
        return self._thread.wait_for(self.inner.step(reply))

    def close(self) -> None:
        """End the episode and release its sandbox."""
        self._thread.wait_for(self.inner.close())


class BlockingGroup:
    """A group with blocking methods; see `EpisodeGroup`."""

    def __init__(self, inner: EpisodeGroup, thread: LoopThread) -> None:
        self._inner = inner
        self._thread = thread

    def __enter__(self) -> BlockingGroup:
        self._thread.wait_for(self._inner.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self._thread.wait_for(self._inner.close())

    def episode(
        self, *, events: EventSink | None = None, identity: EpisodeIdentity | None = None
    ) -> BlockingEpisode:
        """Create a rollout, to be reset with the group's task."""

        async def make() -> AgentEpisode:
            return self._inner.episode(events=events, identity=identity)

        return BlockingEpisode(self._thread.wait_for(make()), self._thread)


class BlockingPool:
    """A pool of episodes with blocking methods. Takes the arguments of `EpisodePool`.

    Close it: the sandboxes of an open pool are removed only `EpisodeSettings.grace` seconds after
    the program has ended.
    """

    def __init__(
        self,
        settings: EpisodeSettings,
        reward: Reward,
        *,
        concurrency: int = CONCURRENCY,
        spares: int = 0,
    ) -> None:
        self._thread = LoopThread()
        self._closed = False

        async def opened() -> EpisodePool:
            pool = EpisodePool(settings, reward, concurrency=concurrency, spares=spares)
            return await pool.__aenter__()

        try:
            self._pool = self._thread.wait_for(opened())
        except BaseException:
            self._thread.stop()
            raise

    def __enter__(self) -> BlockingPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self.close()

    def episode(
        self, *, events: EventSink | None = None, identity: EpisodeIdentity | None = None
    ) -> BlockingEpisode:
        """Create an episode. `events` is called on the loop's thread."""

        async def make() -> AgentEpisode:
            return self._pool.episode(events=events, identity=identity)

        return BlockingEpisode(self._thread.wait_for(make()), self._thread)

    def group(self, task: Task) -> BlockingGroup:
        """Create a group of rollouts of one task."""
        return BlockingGroup(EpisodeGroup(self._pool, task), self._thread)

    def close(self) -> None:
        """Close every episode and every sandbox, and stop the thread. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        try:
            self._thread.wait_for(self._pool.close())
        finally:
            self._thread.stop()
