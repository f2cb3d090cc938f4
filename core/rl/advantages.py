"""Advantages of the rollouts in a group: how much better each was than the others."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Literal

AdvantageRule = Literal["rloo", "grpo"]

GRPO_EPSILON = 1e-4
"""Added to the standard deviation, as in TRL."""


def rloo(rewards: Sequence[float]) -> list[float]:
    """REINFORCE leave-one-out: the reward minus the mean of the others (arXiv 2402.14740).

    Args:
        rewards: rewards of one group.
    """
    others = len(rewards) - 1
    if others < 1:
        return [0.0 for _ in rewards]
    total = sum(rewards)
    return [own - (total - own) / others for own in rewards]


def grpo(rewards: Sequence[float]) -> list[float]:
    """GRPO: the reward minus the group's mean, in standard deviations (arXiv 2402.03300).

    Args:
        rewards: rewards of one group.
    """
    if len(rewards) < 2:
        return [0.0 for _ in rewards]
    mean, spread = statistics.fmean(rewards), statistics.stdev(rewards)
    return [(own - mean) / (spread + GRPO_EPSILON) for own in rewards]


RULES: dict[AdvantageRule, Callable[[Sequence[float]], list[float]]] = {"rloo": rloo, "grpo": grpo}


def group_advantages(rewards: Sequence[float | None], rule: AdvantageRule) -> list[float]:
    """Return the advantages in a group, in order. A rollout without a reward has an advantage of 0
    and is ignored for the others.

    Args:
        rewards: rewards of one group; None for a rollout without a reward.
        rule: how to compute advantages.
    """
    known = iter(RULES[rule]([reward for reward in rewards if reward is not None]))
    return [0.0 if reward is None else next(known) for reward in rewards]
