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
    """One episode, either a `SandboxEpisode` or a `TextEpisode`."""

    async def reset(self, task: Task) -> Turn:
        """Start a task and return the first turn. An episode can be started only once.

        Raises:
            SandboxUnavailable: no sandbox can be started.
            SandboxError: the task cannot be prepared in the sandbox.
            RuntimeError: the episode has already been started.
        """
        ...

    async def step(self, reply: Message | str | Reply) -> StepResult:
        """Answer the last turn.

        Args:
            reply: an assistant message in the OpenAI format; raw text, from which tool calls are
                parsed; or a whole reply, with token ids and log-probabilities if there are any.

        Raises:
            SandboxLost: the sandbox was lost; the episode is over without a reward.
            RewardFailed: the reward failed; the episode is over without a reward.
            RuntimeError: the episode has not started, is over, or was closed during the call.
            ValueError: it is not an assistant message; the turn can still be answered.
        """
        ...

    async def close(self) -> None:
        """End the episode and release its sandbox. Safe to call twice and at any time."""
        ...
