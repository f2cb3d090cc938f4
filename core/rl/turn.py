"""What goes back and forth between an episode and its policy."""

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
        messages: the whole conversation, as the policy's chat template takes it. Those of each
            turn are a prefix of the next one's.
        tools: OpenAI function objects to render with them; none where the prompt explains them.
        text: the same as text up to where the reply begins, where the tool format is a text
            family; None with native calls. That of each turn, with the reply behind it, is a
            prefix of the next one's.
    """

    messages: list[Message]
    tools: list[dict[str, Any]]
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeInfo:
    """What is known of an episode.

    Attributes:
        reason: why it ended; None before the end.
        error: a sentence where a limit ended it.
        answer: text of answer.txt, or the reply of a text-only episode; None: there is none.
        reward_parts: the terms of the reward, by name.
        explanation: a sentence on the reward.
        steps: replies of the policy.
        tool_calls: calls that were answered.
        failed_calls: those among them whose observation was an error.
        usage: tokens, summed over the requests; estimated where nobody counted.
        seconds: since the first turn.
        reward_seconds: those of the reward.
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
        """Tokens that the policy wrote."""
        return self.usage.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What a step came to.

    Attributes:
        observations: the answers to the reply's calls, in order.
        messages: what follows the policy's own message in the conversation: tool results,
            reminders; as `Turn.messages` has them.
        turn: what to answer next; None when the episode is over.
        reward: 0 before the end, what the episode is worth at its end.
        terminated: the policy submitted or answered.
        truncated: a limit of steps, tokens, repetition or time ended the episode.
        info: what is known of the episode.
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
