"""An episode: one attempt of a policy at one task, for a trainer that makes the replies.

turn = await episode.reset(task)
while turn is not None:
    result = await episode.step(policy(turn))
    turn = result.turn
print(result.reward)
"""

from __future__ import annotations

from typing import Protocol

from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.models.base import Message, Reply
from sandbox_tui.core.rl.turn import StepResult, Turn


class Episode(Protocol):
    """One episode; `SandboxEpisode` and `TextEpisode` are the two kinds."""

    async def reset(self, task: Task) -> Turn:
        """Begin with a task; returns the first turn. An episode begins once.

        Raises:
            SandboxUnavailable: no sandbox can be started.
            SandboxError: the task cannot be prepared in it.
            RuntimeError: the episode has begun.
        """
        ...

    async def step(self, reply: Message | str | Reply) -> StepResult:
        """Answer the last turn.

        Args:
            reply: an assistant message in the OpenAI format; raw text, from which calls are read;
                or a whole reply, with token ids and log-probabilities where there are any.

        Raises:
            SandboxLost: the sandbox is gone; the episode is over and has no reward.
            RewardFailed: the episode is over and has no reward.
            RuntimeError: the episode has not begun, is over, or is closed meanwhile.
            ValueError: the message is no assistant's; the turn can still be answered.
        """
        ...

    async def close(self) -> None:
        """End the episode and let go of its sandbox. Safe to call twice and at any moment."""
        ...
