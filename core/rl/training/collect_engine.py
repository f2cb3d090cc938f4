"""The engine `collect`: a model at an OpenAI-compatible server attempts the tasks; nothing is
updated. Its rollouts, with their rewards, are data for rejection sampling."""

from __future__ import annotations

import asyncio

from typing_extensions import override

from sandbox_tui.core.agent.request_with_retries import RequestWithRetries
from sandbox_tui.core.agent.tool_format_model import ToolFormatModel
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.events.sink import NullEventSink
from sandbox_tui.core.events.types import ToolCallSetting
from sandbox_tui.core.models.base import Model, Reply, Request
from sandbox_tui.core.rl.training.engine import Engine, TrainingJob
from sandbox_tui.core.rl.training.policy import Conversant, Policy, Transcript
from sandbox_tui.core.rl.turn import Turn

RETRY_SECONDS = 1.0
"""Delay before the second attempt at a reply; doubled for each further one."""


class CollectEngine(Engine):
    """Runs the episodes of a training without updating the model.

    Args:
        model: the model at its server; the caller closes it.
        settings: settings of the model.
    """

    def __init__(self, model: Model, settings: ModelSettings) -> None:
        self._model = model
        self._tool_calls: ToolCallSetting = settings.tool_calls

    @override
    def train(self, job: TrainingJob) -> None:
        tokens = job.recipe.training.reply_tokens
        policy = ServedPolicy(self._model, self._tool_calls, tokens)
        if job.first_step == 1:
            job.measure(0, policy)
        for step in range(job.first_step, job.recipe.training.steps + 1):
            job.rollouts(step, policy)
            job.step_finished(step, {})


class ServedPolicy(Policy):
    """A model at a server as a policy.

    Args:
        model: the model.
        tool_calls: how tool calls travel.
        reply_tokens: maximum number of tokens per reply.
    """

    def __init__(self, model: Model, tool_calls: ToolCallSetting, reply_tokens: int) -> None:
        self.model = model
        self.tool_calls: ToolCallSetting = tool_calls
        self.reply_tokens = reply_tokens

    @override
    def converse(self, seed: int) -> Conversant:
        return _ServedConversant(self, seed)


class _ServedConversant(Conversant):
    """The conversation of one episode."""

    def __init__(self, policy: ServedPolicy, seed: int) -> None:
        self.transcript = Transcript()
        self._policy = policy
        self._seed = seed
        self._turns = 0
        self._requests = RequestWithRetries(
            ToolFormatModel(policy.model, policy.tool_calls),
            NullEventSink(),
            max_tokens=policy.reply_tokens,
            retry_base=RETRY_SECONDS,
        )

    @override
    async def reply(self, turn: Turn) -> Reply:
        request = Request(
            messages=turn.messages,
            tools=turn.tools,
            max_tokens=self._policy.reply_tokens,
            seed=self._seed + self._turns,
        )
        self._turns += 1

        async def again(attempt: int) -> Request:
            await asyncio.sleep(0)
            return request

        return await self._requests.reply(self._turns, request, again)
