"""Computes the reward at the end of an episode, after the overlong rule."""

from __future__ import annotations

import math
import time

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.evals.scoring import words_of_bug
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.events.types import Scored
from sandbox_tui.core.rl.episode_settings import OverlongRule
from sandbox_tui.core.rl.rewards.base import Reward, RewardFailed, RewardResult, RolloutEnd

OVERLONG = "A limit ended the episode ({reason}), so its reward is 0 regardless of the answer."


async def rewarded(
    reward: Reward, end: RolloutEnd, overlong: OverlongRule, events: EventSink
) -> tuple[RewardResult, float]:
    """Reward an episode and post `Scored`; returns the reward and the seconds that it took.

    Raises:
        RewardFailed: the reward failed; `Scored` then has a value of None.
    """
    began = time.monotonic()
    try:
        result = await _result(reward, end, overlong)
    except RewardFailed as error:
        events.post(_scored(reward, None, str(error), began))
        raise
    events.post(_scored(reward, result.value, result.explanation, began))
    return result, time.monotonic() - began


async def _result(reward: Reward, end: RolloutEnd, overlong: OverlongRule) -> RewardResult:
    if end.truncated and overlong == "zero":
        return RewardResult(value=0.0, explanation=OVERLONG.format(reason=end.reason))
    try:
        result = await reward.reward(end)
    except RewardFailed:
        raise
    except SandboxTuiError as error:
        raise RewardFailed(str(error)) from error
    except Exception as error:  # may be user code, and must not leave a sandbox behind
        raise RewardFailed(f"The reward {reward.name} failed: {words_of_bug(error)}.") from error
    if not math.isfinite(result.value):
        raise RewardFailed(f"The reward {reward.name} gave {result.value}, which is not a number.")
    return result


def _scored(reward: Reward, value: float | None, explanation: str, began: float) -> Scored:
    return Scored(
        scorer=reward.name,
        value=value,
        explanation=explanation,
        seconds=round(time.monotonic() - began, 6),
    )
