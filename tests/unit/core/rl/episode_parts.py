"""Parts of episodes for tests: a policy's messages, a reward, in-memory sandboxes."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.sink import NullEventSink
from sandbox_tui.core.events.types import AnyEvent
from sandbox_tui.core.models.base import Message
from sandbox_tui.core.rl.episode_settings import EpisodeSettings
from sandbox_tui.core.rl.rewards.base import RewardResult, RolloutEnd
from sandbox_tui.core.rl.rollouts.record import EpisodeIdentity
from sandbox_tui.core.rl.sandbox_episode import SandboxEpisode
from sandbox_tui.core.sandboxes.base import Sandbox, SandboxSpec
from tests.fakes import FakeSandbox

ANSWER = "/testbed/output/answer.txt"
TASK = Task(
    id="keys/1",
    problem="What is the key of room 7?",
    target="42",
    files={"rooms/list.txt": b"room 7: 42\n"},
)


def message(*calls: tuple[str, dict[str, Any]], content: str = "") -> Message:
    """A policy's message with these calls."""
    written = [
        {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(calls)
    ]
    assistant: Message = {"role": "assistant", "content": content}
    return {**assistant, "tool_calls": written} if calls else assistant


def answering(text: str) -> Message:
    """A policy's message that writes the answer file."""
    create = {"command": "create", "path": ANSWER, "file_text": text}
    return message(("str_replace_editor", create))


SUBMIT = message(("submit", {}))
LOOK = message(("execute_bash", {"command": "ls"}))


class SameAsTarget:
    """Rewards an answer that equals the target with 1, any other with 0.

    Attributes:
        ends: the rollout ends it was asked to reward.
    """

    name = "same"

    def __init__(self) -> None:
        self.ends: list[RolloutEnd] = []

    async def reward(self, end: RolloutEnd) -> RewardResult:
        self.ends.append(end)
        value = float((end.answer or "").strip() == end.task.target)
        return RewardResult(value=value, parts={"outcome": value}, explanation="compared")


class ClosingSandbox(FakeSandbox):
    """An in-memory sandbox that records whether it was closed."""

    closed = False

    async def close(self) -> None:
        self.closed = True


class FakeSource:
    """A source of in-memory sandboxes.

    Attributes:
        opened: every sandbox it opened, each with the requested `spec`.
    """

    def __init__(self) -> None:
        self.opened: list[ClosingSandbox] = []

    async def open(self, spec: SandboxSpec) -> Sandbox:
        sandbox = ClosingSandbox()
        sandbox.spec = spec
        self.opened.append(sandbox)
        return sandbox

    def release(self, sandbox: Sandbox) -> asyncio.Task[None]:
        async def close() -> None:
            await sandbox.close()

        return asyncio.create_task(close())


class Recorded(NullEventSink):
    """An event sink that keeps the events it receives."""

    def __init__(self) -> None:
        self.events: list[AnyEvent] = []

    def post(self, event: AnyEvent) -> AnyEvent:
        self.events.append(event)
        return event


class Bench:
    """An episode together with all of its parts."""

    def __init__(self, settings: EpisodeSettings | None = None) -> None:
        self.reward = SameAsTarget()
        self.source = FakeSource()
        self.sink = Recorded()
        self.episode = SandboxEpisode(
            settings or EpisodeSettings(),
            self.reward,
            sandboxes=self.source,
            events=self.sink,
            identity=EpisodeIdentity(run_id="run-1", policy="tiny", labels={"step": "3"}),
        )
