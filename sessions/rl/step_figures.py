"""Figures for each step of a training, computed from its rollouts and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from sandbox_tui.sessions.rl.reading import TrainingReading
from sandbox_tui.sessions.store.tables.rollouts import Rollout


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFigures:
    """Figures of one step. Means are over the training rollouts that have ended; None: unknown.

    Attributes:
        step: its number.
        finished: whether its weights are updated and its metrics recorded.
        rollouts: number of training rollouts started.
        over: number of them that have ended.
        reward: the mean.
        reward_std: the standard deviation.
        held_out_reward: mean over the held-out tasks.
        turns: replies of the policy.
        tool_calls: calls that were run.
        tokens: of all replies of a rollout.
        truncated: the fraction that a limit ended, from 0 to 1.
        seconds: of a rollout.
        metrics: reported by the trainer.
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
    """Return the figures of all steps that have begun, in order."""
    metrics = {one.step: one.metrics for one in reading.steps}
    steps = sorted({*metrics, *reading.by_step})
    return [figures_of(step, reading.by_step.get(step, ()), metrics.get(step)) for step in steps]


def figures_of(
    step: int, rollouts: Sequence[Rollout], metrics: dict[str, float] | None
) -> StepFigures:
    """Return the figures of one step.

    Args:
        step: its number.
        rollouts: all rollouts of the step.
        metrics: reported by the trainer; None: the step is not finished.
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
