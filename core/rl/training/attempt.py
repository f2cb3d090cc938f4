"""One attempt of a policy at a task: an episode from start to end."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from sandbox_tui.core.base.errors import ModelError, SandboxError, SandboxTuiError
from sandbox_tui.core.evals.scoring import words_of_bug
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.types import FinishReason
from sandbox_tui.core.rl.episode import Episode
from sandbox_tui.core.rl.training.policy import Policy, Transcript
from sandbox_tui.core.rl.turn import EpisodeInfo, StepResult

STOPPED = "The training was stopped."
"""Reason given for an interrupted attempt without a reward."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The result of an attempt.

    Attributes:
        run_id: id of the session that records it.
        task: the task.
        reward: None if the sandbox, the model or the reward failed.
        truncated: whether a limit ended it.
        info: facts about the episode; None if it did not finish.
        transcript: its tokens; empty if the policy reports none.
        error: why it has no reward.
    """

    run_id: str
    task: Task
    reward: float | None
    truncated: bool
    info: EpisodeInfo | None
    transcript: Transcript
    error: str = ""


class AttemptRecord(Protocol):
    """Records an attempt."""

    run_id: str

    async def finish(self, info: EpisodeInfo, reward: float | None, truncated: bool) -> None:
        """Record that the attempt finished."""
        ...

    async def abandon(self, because: str, reason: FinishReason = "cancelled") -> None:
        """Record that the attempt ended before its episode finished."""
        ...


async def attempt(
    episode: Episode, task: Task, policy: Policy, record: AttemptRecord, seed: int
) -> Attempt:
    """Let a policy attempt a task, and record it.

    Args:
        episode: a new episode, which is closed at the end.
        task: the task.
        policy: the policy that answers.
        record: records the attempt.
        seed: sampling seed.

    Raises:
        StoreError: the attempt could not be recorded.
    """
    conversant = policy.converse(seed)
    transcript = conversant.transcript
    try:
        async with _closing(episode):
            turn = await episode.reset(task)
            result: StepResult | None = None
            while turn is not None:
                result = await episode.step(await conversant.reply(turn))
                turn = result.turn
            assert result is not None
    except SandboxTuiError as error:
        await record.abandon(str(error), _reason_of(error))
        return Attempt(
            run_id=record.run_id,
            task=task,
            reward=None,
            truncated=False,
            info=None,
            transcript=transcript,
            error=str(error),
        )
    except Exception as error:
        await record.abandon(f"The attempt failed: {words_of_bug(error)}.", "internal_error")
        raise
    except BaseException:
        await record.abandon(STOPPED)
        raise
    await record.finish(result.info, result.reward, result.truncated)
    return Attempt(
        run_id=record.run_id,
        task=task,
        reward=result.reward,
        truncated=result.truncated,
        info=result.info,
        transcript=transcript,
    )


def _reason_of(error: SandboxTuiError) -> FinishReason:
    if isinstance(error, ModelError):
        return "model_error"
    return "sandbox_error" if isinstance(error, SandboxError) else "internal_error"


@contextlib.asynccontextmanager
async def _closing(episode: Episode) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        await episode.close()
