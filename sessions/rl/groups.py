"""Groups rollouts: those of one task in one step serve as each other's baseline.

Held-out tasks that are attempted once per step have no baseline; together they form one group.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from sandbox_tui.sessions.store.tables.rollouts import Rollout, Split

HELD_OUT_TASKS = "held-out tasks"
"""Placeholder for the task of a group that covers several tasks."""


@dataclass(frozen=True, slots=True)
class RolloutGroup:
    """The rollouts of one task in one step, or of all held-out tasks.

    Attributes:
        step: the optimizer step.
        task: id of the task, or `HELD_OUT_TASKS`.
        split: their purpose.
        rollouts: ordered by number.
    """

    step: int
    task: str
    split: Split
    rollouts: tuple[Rollout, ...]

    @property
    def mean_reward(self) -> float | None:
        """Mean over the rollouts that have a reward; None if there are none."""
        rewards = self.rewards
        return fmean(rewards) if rewards else None

    @property
    def rewards(self) -> list[float]:
        """The rewards of the rollouts that have one."""
        return [one.reward for one in self.rollouts if one.reward is not None]

    @property
    def differs(self) -> bool:
        """Whether the policy can learn from the group, that is, not all rewards are equal."""
        return self.split == "train" and len(set(self.rewards)) > 1

    @property
    def best(self) -> Rollout | None:
        """The rollout with the highest reward; of equal ones the shortest."""
        return min(
            self._with_reward, key=lambda one: (-(one.reward or 0.0), one.steps), default=None
        )

    @property
    def worst(self) -> Rollout | None:
        """The rollout with the lowest reward; of equal ones the longest."""
        return min(self._with_reward, key=lambda one: (one.reward or 0.0, -one.steps), default=None)

    @property
    def _with_reward(self) -> list[Rollout]:
        return [one for one in self.rollouts if one.reward is not None]


def groups_of(rollouts: Iterable[Rollout]) -> list[RolloutGroup]:
    """Return the groups of rollouts, which must be ordered as in `TrainingReading`."""
    return [
        group
        for (step, split), found in groupby(rollouts, key=lambda one: (one.step, one.split))
        for group in _groups_of(step, split, list(found))
    ]


def _groups_of(step: int, split: Split, rollouts: list[Rollout]) -> list[RolloutGroup]:
    groups = [
        RolloutGroup(step, task, split, tuple(found))
        for task, found in groupby(rollouts, key=lambda one: one.task)
    ]
    if split == "held_out" and len(groups) == len(rollouts) > 1:
        return [RolloutGroup(step, HELD_OUT_TASKS, split, tuple(rollouts))]
    return groups
