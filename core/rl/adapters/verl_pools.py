"""Episode settings in verl's configuration, and the episode pool of each verl worker."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Mapping
from typing import Any

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.pool import CONCURRENCY, EpisodePool
from sandbox_tui.core.rl.rewards.build import build_reward
from sandbox_tui.core.rl.rewards.settings import RewardSettings


class VerlSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The section `sandbox_tui` of verl's configuration.

    Attributes:
        episode: settings of all episodes.
        reward: settings of their reward.
        concurrency: maximum number of open sandboxes per verl worker.
        spares: number of sandboxes that each worker keeps ready.
    """

    episode: EpisodeSettings = EpisodeSettings()
    reward: RewardSettings = RewardSettings()
    concurrency: int = CONCURRENCY
    spares: int = 0


def verl_settings(section: Mapping[str, Any]) -> VerlSettings:
    """Convert the section to settings.

    Raises:
        ConfigError: the section is invalid.
    """
    try:
        return msgspec.convert(section, VerlSettings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"sandbox_tui in verl's configuration: {error}.") from error


_pools: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[bytes, EpisodePool]] = (
    weakref.WeakKeyDictionary()
)


def pool_of(settings: VerlSettings) -> EpisodePool:
    """Return the pool of the running event loop for these settings. verl kills its workers without
    notice; their sandboxes end when the lease that the pool renews expires."""
    pools = _pools.setdefault(asyncio.get_running_loop(), {})
    key = msgspec.json.encode(settings)
    if key not in pools:
        pools[key] = EpisodePool(
            settings.episode,
            build_reward(settings.reward),
            concurrency=settings.concurrency,
            spares=settings.spares,
        )
    return pools[key]


async def close_pools() -> None:
    """Close the pools of the running event loop."""
    pools = _pools.pop(asyncio.get_running_loop(), {})
    await asyncio.gather(*(pool.close() for pool in pools.values()))
