"""Rollouts by group: those of one task in one step, which are each other's baseline.

Held-out tasks that are attempted once in a step have no baseline: all of them are one group.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from sandbox_tui.sessions.store.tables.rollouts import Rollout, Split

HELD_OUT_TASKS = "held-out tasks"
"""In place of a task where a group is of several."""


@dataclass(frozen=True, slots=True)
class RolloutGroup:
    """The rollouts of one task in one step, or of the held-out tasks.

    Attributes:
        step: the optimizer step.
        task: id of the task, or `HELD_OUT_TASKS`.
        split: what they are for.
        rollouts: by number.
    """

    step: int
    task: str
    split: Split
    rollouts: tuple[Rollout, ...]

    @property
    def mean_reward(self) -> float | None:
        """Of those that have a reward."""
        rewards = self.rewards
        return fmean(rewards) if rewards else None

    @property
    def rewards(self) -> list[float]:
        """Of those that have one."""
        return [one.reward for one in self.rollouts if one.reward is not None]

    @property
    def differs(self) -> bool:
        """Whether there is anything to learn from it: not all rewards are the same."""
        return self.split == "train" and len(set(self.rewards)) > 1

    @property
    def best(self) -> Rollout | None:
        """The one with the highest reward, the shorter one of two."""
        return min(
            self._with_reward, key=lambda one: (-(one.reward or 0.0), one.steps), default=None
        )

    @property
    def worst(self) -> Rollout | None:
        """The one with the lowest reward, the longer one of two."""
        return min(self._with_reward, key=lambda one: (one.reward or 0.0, -one.steps), default=None)

    @property
    def _with_reward(self) -> list[Rollout]:
        return [one for one in self.rollouts if one.reward is not None]


def groups_of(rollouts: Iterable[Rollout]) -> list[RolloutGroup]:
    """The groups of rollouts that are ordered as `TrainingReading` has them."""
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
