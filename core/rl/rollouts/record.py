"""Records an episode, so that it becomes a session like any other run."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from typing_extensions import override

from sandbox_tui.core.agent.model_messages import MESSAGES_VERSION
from sandbox_tui.core.environment.tool_environment import ToolEnvironment
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.prompts import PromptPack
from sandbox_tui.core.run.input_files import digests
from sandbox_tui.core.run.recorded_settings import recorded_sandbox
from sandbox_tui.core.run.start import run_started


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeIdentity:
    """Names of an episode in its record.

    Attributes:
        run_id: id of its session; also labels its sandbox.
        policy: name of the model in training.
        policy_params: recorded with the name, such as the sampling parameters; no secrets.
        labels: labels such as training, step, task and rollout.
        seed: sampling seed.
    """

    run_id: str = field(default_factory=lambda: f"episode-{secrets.token_hex(6)}")
    policy: str = "policy"
    policy_params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    seed: int | None = None


class CountingSink(EventSink):
    """Sums up the events that it passes on to another sink.

    Args:
        inner: receives the events.

    Attributes:
        totals: totals so far; `seconds` is left to the caller.
    """

    def __init__(self, inner: EventSink) -> None:
        self._inner = inner
        self.totals = e.Totals()

    @override
    def post(self, event: e.AnyEvent) -> e.AnyEvent:
        totals = self.totals
        if isinstance(event, e.ModelReplied):
            usage = totals.usage + event.usage
            self.totals = msgspec.structs.replace(totals, steps=totals.steps + 1, usage=usage)
        elif isinstance(event, e.CallFinished):
            failed = totals.failed_calls + (not event.ok)
            self.totals = msgspec.structs.replace(
                totals, calls=totals.calls + 1, failed_calls=failed
            )
        return self._inner.post(event)

    @override
    def post_delta(self, delta: e.ModelDelta) -> None:
        self._inner.post_delta(delta)

    @override
    async def output(self, terminal: str, data: bytes) -> None:
        await self._inner.output(terminal, data)

    @override
    async def wait_for_room(self) -> None:
        await self._inner.wait_for_room()

    @override
    async def wait_durable(self) -> None:
        await self._inner.wait_durable()


def episode_started(
    identity: EpisodeIdentity,
    task: Task,
    *,
    asked: str,
    environment: ToolEnvironment,
    pack: PromptPack,
    opening: list[Message],
    limits: e.Limits,
    turn_policy: e.TurnPolicy,
) -> e.RunStarted:
    """Build the first event of an episode.

    Args:
        identity: names of the episode in the record.
        task: the task.
        asked: the problem as the policy reads it.
        environment: where tools run.
        pack: the prompts.
        opening: the first messages of the conversation.
        limits, turn_policy: those in force.
    """
    sandbox, bounds = environment.sandbox, environment.bounds
    return run_started(
        identity.run_id,
        asked,
        model=identity.policy,
        model_params=identity.policy_params,
        sandbox=sandbox,
        pack=pack,
        opening=opening,
        limits=limits,
        settings=e.RunSettings(
            observation_lines=bounds.max_lines,
            observation_chars=bounds.max_chars,
            sandbox=recorded_sandbox(sandbox.spec),
            turn_policy=turn_policy,
            messages_version=MESSAGES_VERSION,
            tools=tuple(tool.name for tool in environment.tools),
            files=digests(task.files),
            setup=task.setup,
            labels=dict(identity.labels),
            seed=identity.seed,
            watch="off",
        ),
    )
