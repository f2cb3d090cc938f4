"""A pool of episodes: limits the number of open sandboxes, and starts spares ahead of need.

async with EpisodePool(settings, reward, concurrency=16, spares=4) as pool:
    episode = pool.episode()
    turn = await episode.reset(task)
    ...
"""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType

from typing_extensions import override

from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.prompts import load_pack
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.rewards.base import Reward
from sandbox_tui.core.rl.rollouts.agent_episode import AgentEpisode
from sandbox_tui.core.rl.rollouts.record import EpisodeIdentity
from sandbox_tui.core.rl.sandbox_episode import PROMPTS, SandboxEpisode, sandbox_spec
from sandbox_tui.core.rl.sandbox_source import SandboxSource
from sandbox_tui.core.rl.text_episode import TextEpisode
from sandbox_tui.core.sandboxes.base import Sandbox, SandboxSpec
from sandbox_tui.core.sandboxes.blocking_calls import run_shielded
from sandbox_tui.core.sandboxes.concurrency_limits import MAX_AT_ONCE
from sandbox_tui.core.sandboxes.factory import Providers

CONCURRENCY = 16
"""Default number of sandboxes that may be open at once."""


class EpisodePool(SandboxSource):
    """Creates episodes, and closes the remaining ones at its end. A context manager.

    An episode waits in `reset` while too many sandboxes are open. A sandbox counts until it is
    removed.

    Args:
        settings: settings of its episodes.
        reward: reward of its episodes.
        concurrency: maximum number of open sandboxes, not counting spares.
        spares: number of sandboxes to keep ready; they fit tasks without their own image.
        at_once: maximum number of sandboxes that start at the same time.

    Attributes:
        settings, reward: as above.
    """

    def __init__(
        self,
        settings: EpisodeSettings,
        reward: Reward,
        *,
        concurrency: int = CONCURRENCY,
        spares: int = 0,
        at_once: int = MAX_AT_ONCE,
    ) -> None:
        self.settings = settings
        self.reward = reward
        self._slots = asyncio.Semaphore(concurrency)
        self._spares = spares
        self._providers = Providers(at_once=at_once)
        self._episodes: list[AgentEpisode] = []
        self._removals: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> EpisodePool:
        if self._spares and self.settings.mode == "sandbox":
            try:
                await self._warm()
            except BaseException:
                await run_shielded(self.close())
                raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        await run_shielded(self.close())

    def episode(
        self,
        *,
        events: EventSink | None = None,
        identity: EpisodeIdentity | None = None,
        snapshot: str = "",
    ) -> AgentEpisode:
        """Create an episode. Arguments as in `SandboxEpisode`."""
        if self.settings.mode == "text":
            episode: AgentEpisode = TextEpisode(
                self.settings, self.reward, events=events, identity=identity
            )
        else:
            episode = SandboxEpisode(
                self.settings,
                self.reward,
                sandboxes=self,
                snapshot=snapshot,
                events=events,
                identity=identity,
            )
        self._episodes = [*(one for one in self._episodes if not one.is_over), episode]
        return episode

    async def close(self) -> None:
        """Close every episode and every sandbox. Safe to call twice."""
        await asyncio.gather(*(episode.close() for episode in self._episodes))
        await asyncio.gather(*self._removals)
        await self._providers.close()

    # --- sandboxes

    @override
    async def open(self, spec: SandboxSpec) -> Sandbox:
        await self._slots.acquire()
        try:
            sandbox = await self._providers.choose(self.settings.sandbox, spec)
        except BaseException:
            self._slots.release()
            raise
        try:
            await sandbox.start()
        except BaseException:
            self.release(sandbox)
            raise
        return sandbox

    @override
    def release(self, sandbox: Sandbox) -> asyncio.Task[None]:
        removal = asyncio.create_task(self._remove(sandbox))
        self._removals.add(removal)
        removal.add_done_callback(self._removals.discard)
        return removal

    async def _remove(self, sandbox: Sandbox) -> None:
        try:
            with contextlib.suppress(Exception):  # the next program's sweep removes what is left
                await sandbox.close()
        finally:
            self._slots.release()

    async def _warm(self) -> None:
        pack = await asyncio.to_thread(load_pack, self.settings.prompts or PROMPTS)
        spec = sandbox_spec(self.settings, pack, "")
        await self._providers.warm(self.settings.sandbox, spec, self._spares)
