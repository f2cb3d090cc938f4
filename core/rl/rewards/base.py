"""The reward protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.types import FinishReason
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.rl.episode_settings import EpisodeMode
from sandbox_tui.core.sandboxes.base import Sandbox


class RewardFailed(SandboxTuiError):
    """A reward could not be computed; the episode has none, which is not a reward of 0."""


class RewardResult(msgspec.Struct, frozen=True, kw_only=True):
    """The reward of an episode.

    Attributes:
        value: the reward.
        parts: the terms that make it up, by name.
        explanation: one sentence: what was read from the answer and what it was compared with.
    """

    value: float
    parts: dict[str, float] = {}
    explanation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutEnd:
    """The data about a finished episode that a reward is computed from.

    Attributes:
        task: the task.
        mode: mode of the attempt.
        answer: text of answer.txt, or the reply of a text-only episode; None if there is none.
        reason: why the episode ended.
        truncated: whether a limit ended it.
        messages: the whole conversation.
        steps: number of replies of the policy.
        tool_calls: number of tool calls that were answered.
        sandbox: the policy's sandbox, still open; None in a text-only episode.
        fresh_sandbox: opens a sandbox of the same image that no model has touched.
    """

    task: Task
    mode: EpisodeMode
    answer: str | None
    reason: FinishReason
    truncated: bool = False
    messages: Sequence[Message] = field(default_factory=tuple[Message, ...])
    steps: int = 0
    tool_calls: int = 0
    sandbox: Sandbox | None = None
    fresh_sandbox: Callable[[], AbstractAsyncContextManager[Sandbox]] | None = None


class Reward(Protocol):
    """Rewards episodes. Called once, at the end, while the sandbox is still open, unless the
    overlong rule (`EpisodeSettings.overlong`) settles the reward.

    Attributes:
        name: name of the reward in records.
    """

    name: str

    async def reward(self, end: RolloutEnd) -> RewardResult:
        """Compute the reward of one episode.

        Raises:
            RewardFailed: there is no reward; the message says why.
        """
        ...
