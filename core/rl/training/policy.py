"""The policy protocol: it answers the turns of episodes while it is trained or measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sandbox_tui.core.models.base import Reply
from sandbox_tui.core.rl.turn import Turn


@dataclass(slots=True)
class Transcript:
    """The tokens of one episode, as sampled and as read.

    Attributes:
        prompt: prompt of the first turn.
        completion: everything after it: replies, observations, reminders.
        sampled: for each token of the completion, whether the policy sampled it.
        logprobs: log-probability of each token of the completion; 0 if it was not sampled.
    """

    prompt: list[int] = field(default_factory=list[int])
    completion: list[int] = field(default_factory=list[int])
    sampled: list[bool] = field(default_factory=list[bool])
    logprobs: list[float] = field(default_factory=list[float])

    @property
    def tokens(self) -> list[int]:
        """The prompt and the completion."""
        return self.prompt + self.completion

    def add_read(self, tokens: Sequence[int]) -> None:
        """Add tokens that the policy reads."""
        self.completion += tokens
        self.sampled += [False] * len(tokens)
        self.logprobs += [0.0] * len(tokens)

    def add_sampled(self, tokens: Sequence[int], logprobs: Sequence[float]) -> None:
        """Add tokens that the policy sampled."""
        self.completion += tokens
        self.sampled += [True] * len(tokens)
        self.logprobs += logprobs


class Conversant(Protocol):
    """A policy in one episode; it remembers the previous turns."""

    transcript: Transcript

    async def reply(self, turn: Turn) -> Reply:
        """Answer a turn.

        Raises:
            ModelError: the model gave no reply.
        """
        ...


class Policy(Protocol):
    """A policy that serves any number of episodes at once."""

    def converse(self, seed: int) -> Conversant:
        """Start the conversation of a new episode.

        Args:
            seed: sampling seed.
        """
        ...
