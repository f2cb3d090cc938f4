"""Builds the reward that a recipe describes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.rl.rewards.base import Reward, RewardResult, RolloutEnd
from sandbox_tui.core.rl.rewards.outcome import OutcomeReward
from sandbox_tui.core.rl.rewards.settings import RewardSettings
from sandbox_tui.core.rl.rewards.terms import FormatTerm, LengthTerm


@dataclass(slots=True)
class RewardSum:
    """Adds up the terms of a reward. If one fails, the whole reward fails."""

    terms: tuple[Reward, ...]
    name: str = field(default="sum", init=False)

    async def reward(self, end: RolloutEnd) -> RewardResult:
        """Return the sum, its parts by name, and the explanations of all terms."""
        results = [await term.reward(end) for term in self.terms]
        return RewardResult(
            value=sum(result.value for result in results),
            parts={name: part for result in results for name, part in result.parts.items()},
            explanation=" ".join(result.explanation for result in results),
        )


def build_reward(settings: RewardSettings, tasks: Iterable[Task] = ()) -> Reward:
    """Build the reward that settings describe.

    Args:
        settings: reward settings of a recipe.
        tasks: tasks to reward; their scorers must be ready.

    Raises:
        ConfigError: a scorer is unknown or lacks something, or the lengths are out of order.
    """
    outcome = OutcomeReward(
        scorer=settings.scorer, scorer_options=settings.scorer_options, timeout=settings.timeout
    )
    outcome.check_ready(tasks)
    terms: list[Reward] = [outcome]
    if settings.format_weight:
        terms.append(FormatTerm(weight=settings.format_weight))
    if settings.length_weight:
        if settings.length_from >= settings.length_to:
            raise ConfigError("The reward's length_from must be below its length_to.")
        terms.append(
            LengthTerm(
                weight=settings.length_weight,
                first=settings.length_from,
                last=settings.length_to,
            )
        )
    return terms[0] if len(terms) == 1 else RewardSum(tuple(terms))
