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
    """What an episode is worth.

    Attributes:
        value: the reward.
        parts: the terms it is made of, by name.
        explanation: a sentence: what was read from the answer, and what it was compared with.
    """

    value: float
    parts: dict[str, float] = {}
    explanation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutEnd:
    """What a reward sees of an episode that has ended.

    Attributes:
        task: what was asked.
        mode: how it was attempted.
        answer: text of answer.txt, or the reply of a text-only episode; None: there is no answer.
        reason: why the episode ended.
        truncated: a limit ended it.
        messages: the whole conversation.
        steps: replies of the policy.
        tool_calls: calls that were answered.
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
    """Rewards episodes. It is asked once, at the end, while the sandbox is still open; not where
    the overlong rule (`EpisodeSettings.overlong`) settles the reward.

    Attributes:
        name: as records name it.
    """

    name: str

    async def reward(self, end: RolloutEnd) -> RewardResult:
        """The reward of one episode.

        Raises:
            RewardFailed: there is none; the sentence says why.
        """
        ...
