"""What each step of a training came to, worked out of its rollouts and its metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from sandbox_tui.sessions.rl.reading import TrainingReading
from sandbox_tui.sessions.store.tables.rollouts import Rollout


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFigures:
    """One step. Means are over the training rollouts that are over; None: not known.

    Attributes:
        step: its number.
        finished: whether its weights are updated, and its metrics there.
        rollouts: how many training rollouts have begun.
        over: how many of them are over.
        reward: the mean.
        reward_std: the standard deviation.
        held_out_reward: of the tasks that the policy does not learn from.
        turns: replies of the policy.
        tool_calls: that were run.
        tokens: of all replies of a rollout.
        truncated: the share that a limit ended, from 0 to 1.
        seconds: of a rollout.
        metrics: of the trainer.
    """

    step: int
    finished: bool = False
    rollouts: int = 0
    over: int = 0
    reward: float | None = None
    reward_std: float | None = None
    held_out_reward: float | None = None
    turns: float | None = None
    tool_calls: float | None = None
    tokens: float | None = None
    truncated: float | None = None
    seconds: float | None = None
    metrics: dict[str, float]


def step_figures(reading: TrainingReading) -> list[StepFigures]:
    """All steps that have begun, in order."""
    metrics = {one.step: one.metrics for one in reading.steps}
    steps = sorted({*metrics, *reading.by_step})
    return [figures_of(step, reading.by_step.get(step, ()), metrics.get(step)) for step in steps]


def figures_of(
    step: int, rollouts: Sequence[Rollout], metrics: dict[str, float] | None
) -> StepFigures:
    """One step.

    Args:
        step: its number.
        rollouts: all of it.
        metrics: of the trainer; None: it is not finished.
    """
    known = metrics or {}
    train = [one for one in rollouts if one.split == "train"]
    held_out = [one for one in rollouts if one.split == "held_out"]
    over = [one for one in train if one.over]
    rewards = _rewards(train)
    return StepFigures(
        step=step,
        finished=metrics is not None,
        rollouts=len(train),
        over=len(over),
        reward=fmean(rewards) if rewards else known.get("reward"),
        reward_std=pstdev(rewards) if rewards else known.get("reward_std"),
        held_out_reward=_mean(_rewards(held_out)) if held_out else known.get("held_out_reward"),
        turns=_mean([one.steps for one in over]),
        tool_calls=_mean([one.tool_calls for one in over]),
        tokens=_mean([one.tokens for one in over]),
        truncated=_mean([float(one.truncated) for one in over]),
        seconds=_mean([one.seconds for one in over]),
        metrics=known,
    )


def _rewards(found: Sequence[Rollout]) -> list[float]:
    return [one.reward for one in found if one.reward is not None]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
