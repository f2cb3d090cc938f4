"""The data that an episode and its policy exchange."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sandbox_tui.core.events.types import FinishReason, Usage
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.tools.base import Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the policy answers next.

    Attributes:
        messages: the whole conversation, in the form of the policy's chat template. The messages of
            each turn are a prefix of those of the next.
        tools: OpenAI function objects to render with the messages; none if the prompt explains
            them.
        text: the conversation as text, up to where the reply starts, if the tool format is a text
            family; None with native calls. The text of each turn, followed by its reply, is a
            prefix of the next turn's.
    """

    messages: list[Message]
    tools: list[dict[str, Any]]
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeInfo:
    """Facts about an episode.

    Attributes:
        reason: why it ended; None before the end.
        error: error message if a limit ended it.
        answer: text of answer.txt, or the reply of a text-only episode; None if there is none.
        reward_parts: the terms of the reward, by name.
        explanation: one sentence that explains the reward.
        steps: number of replies of the policy.
        tool_calls: number of tool calls that were answered.
        failed_calls: number of those whose observation was an error.
        usage: token usage, summed over the requests; estimated if it was not reported.
        seconds: seconds since the first turn.
        reward_seconds: seconds that the reward took.
    """

    reason: FinishReason | None = None
    error: str | None = None
    answer: str | None = None
    reward_parts: dict[str, float] = field(default_factory=dict[str, float])
    explanation: str = ""
    steps: int = 0
    tool_calls: int = 0
    failed_calls: int = 0
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    reward_seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Number of tokens that the policy wrote."""
        return self.usage.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """The result of a step.

    Attributes:
        observations: observations of the reply's tool calls, in order.
        messages: messages that follow the policy's own in the conversation: tool results and
            reminders, in the form of `Turn.messages`.
        turn: the next turn to answer; None when the episode is over.
        reward: 0 before the end; at the end, the reward of the episode.
        terminated: whether the policy submitted or answered.
        truncated: whether a limit of steps, tokens, repetition or time ended the episode.
        info: facts about the episode so far.
    """

    observations: tuple[Observation, ...]
    messages: tuple[Message, ...]
    turn: Turn | None
    reward: float
    terminated: bool
    truncated: bool
    info: EpisodeInfo

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self.turn is None
