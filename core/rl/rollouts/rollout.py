"""A task in progress: an agent whose replies come from a policy, and its prompts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import msgspec

from sandbox_tui.core.agent.loop import Agent, AgentResult, TurnResult
from sandbox_tui.core.base.errors import ConfigError, SandboxLost
from sandbox_tui.core.environment.tool_environment import ToolEnvironment
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.models.base import Message, Reply, Request
from sandbox_tui.core.prompts import PromptPack
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.rollouts.episode_turns import Prompts
from sandbox_tui.core.rl.rollouts.policy_reply import policy_reply, written_text
from sandbox_tui.core.rl.rollouts.record import EpisodeIdentity, episode_started
from sandbox_tui.core.rl.turn import Turn
from sandbox_tui.core.run.results import Results
from sandbox_tui.core.run.start import initial_messages

ANSWER_SECONDS = 60.0
"""Timeout for reading an answer from a sandbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """The place where a task is attempted.

    Attributes:
        environment: where tools run; its sandbox is started and holds the task's files.
        pack: the prompts.
        asked: the problem as the policy reads it.
        turn_policy: how the agent handles replies and requests.
    """

    environment: ToolEnvironment
    pack: PromptPack
    asked: str
    turn_policy: e.TurnPolicy


class Rollout:
    """One attempt at one task.

    Args:
        task: the task.
        place: where it is attempted.
        settings: settings of the episode.
        identity: names of the episode in the record.
        events: receives all events, starting with `RunStarted`.

    Attributes:
        task, place: as above.
        limits: limits of the settings, overridden by the task's own.
        conversation: all messages so far, in the OpenAI format.
        replies: the policy's replies so far.

    Raises:
        ConfigError: the tool format does not exist, or a limit of the task is invalid.
    """

    def __init__(
        self,
        task: Task,
        place: Workplace,
        settings: EpisodeSettings,
        identity: EpisodeIdentity,
        events: EventSink,
    ) -> None:
        tools = place.environment.tools
        schemas: list[dict[str, Any]] = [
            {"type": "function", "function": dict(tool.schema)} for tool in tools
        ]
        self.task = task
        self.place = place
        self.limits = limits_of(settings.limits, task)
        self.conversation: list[Message] = initial_messages(place.pack, tools, place.asked)
        self.replies: list[Reply] = []
        self._prompts = Prompts(schemas, settings.tool_format)
        self._schemas = schemas
        self._agent = Agent(
            model=None,
            messages=self.conversation,
            tools=tools,
            executor=place.environment,
            limits=self.limits,
            turn_policy=place.turn_policy,
            events=events,
        )
        self._turn: Turn | None = None
        self._written = ""
        events.post(
            episode_started(
                identity,
                task,
                asked=place.asked,
                environment=place.environment,
                pack=place.pack,
                opening=self.conversation,
                limits=self.limits,
                turn_policy=place.turn_policy,
            )
        )

    async def next_turn(self) -> Turn:
        """Build the turn that the policy answers next."""
        await self._agent.begin_turn()
        self._turn = self._prompts.turn(self.conversation, self._written)
        return self._turn

    def read(self, answer: Message | str | Reply) -> Reply:
        """Convert the policy's answer to the last turn to a reply.

        Raises:
            ValueError: it is not an assistant message.
        """
        request = Request(messages=self.conversation, tools=self._schemas)
        reply = policy_reply(answer, request, as_text=self._prompts.as_text)
        self._written = written_text(answer)
        self.replies.append(reply)
        return reply

    async def answer(self, reply: Reply) -> TurnResult:
        """Process the reply to the last turn; the result says whether the attempt is over.

        Raises:
            SandboxLost: the sandbox was lost.
        """
        turn = await self._agent.finish_turn(reply)
        return TurnResult(
            observations=turn.observations, result=turn.result or self._agent.limit_reached()
        )

    def messages_since(self, turn: Turn) -> tuple[Message, ...]:
        """Return the messages that follow the policy's reply to a turn."""
        return tuple(self._prompts.rendered(self.conversation)[len(turn.messages) + 1 :])

    async def final_answer(self, result: AgentResult) -> str | None:
        """Return the text of answer.txt; without a sandbox, the last reply.

        Raises:
            SandboxLost: the sandbox was lost with any answer in it, or does not respond. Not raised
            if a limit ended the attempt: then there is no answer.
        """
        sandbox, folder = self.place.environment.sandbox, self.place.pack.output_dir
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                written = await Results(sandbox, folder).answer()
                if written is None and result.reason == "submitted":
                    await sandbox.stat(folder)  # raises if the sandbox itself is lost
        except TimeoutError as error:
            if result.reason == "submitted":
                raise SandboxLost("The sandbox does not say whether it holds an answer.") from error
            written = None
        return result.answer if written is None else written


def limits_of(limits: e.Limits, task: Task) -> e.Limits:
    """Return the limits, overridden by the task's own.

    Raises:
        ConfigError: a limit of the task is invalid.
    """
    if not task.limits:
        return limits
    try:
        return msgspec.convert({**msgspec.structs.asdict(limits), **task.limits}, e.Limits)
    except msgspec.ValidationError as error:
        raise ConfigError(f"The limits of task {task.id} cannot be used: {error}.") from error
