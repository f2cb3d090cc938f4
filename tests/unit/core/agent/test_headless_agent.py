"""An agent without a record, gate, watcher or screen: the null forms, and turns driven by hand."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from sandbox_tui.core.agent import model_messages as texts
from sandbox_tui.core.agent.conversation_from_events import conversation
from sandbox_tui.core.agent.loop import Agent, AgentResult, messages_digest
from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.core.environment.tool_environment import ToolEnvironment
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.sink import NullEventSink
from sandbox_tui.core.models.base import Delta, RawToolCall, Reply, Request
from sandbox_tui.core.prompts import load_pack
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.spec import RunSpec
from sandbox_tui.core.sandboxes.base import Listing
from sandbox_tui.core.tools.base import Tool
from sandbox_tui.core.tools.registry import DEFAULT_TOOLS
from tests.fakes import FakeSandbox, result


def calling(*calls: tuple[str, dict[str, Any]]) -> Reply:
    """A reply with these calls."""
    written = tuple(
        RawToolCall(id=f"c{number}", name=name, arguments=json.dumps(arguments))
        for number, (name, arguments) in enumerate(calls)
    )
    sent = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in written
    ]
    return Reply(message={"role": "assistant", "tool_calls": sent}, calls=written)


def saying(text: str) -> Reply:
    return Reply(message={"role": "assistant", "content": text}, text=text)


WORK = [calling(("execute_bash", {"command": "ls"})), calling(("submit", {}))]


class Scripted:
    """A model that gives these replies and records its requests."""

    name = "scripted"

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.params: dict[str, Any] = {}
        self.requests: list[Request] = []
        self.closed = False
        self._replies = list(replies)

    async def ask(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        self.requests.append(request)
        yield Delta("text", "x")
        yield self._replies.pop(0)

    async def prepare(self) -> None: ...

    async def close(self) -> None:
        self.closed = True


class Counting(FakeSandbox):
    """A sandbox that counts scans of its files and knows whether it is running."""

    def __init__(self) -> None:
        super().__init__()
        self.results = [result(b"a file\n")]
        self.scans = 0
        self.there = False

    async def start(self) -> None:
        self.there = True

    async def close(self) -> None:
        self.there = False

    async def list_files(self, path: str, *, limit: int = 20_000) -> Listing:
        self.scans += 1
        return await super().list_files(path, limit=limit)


class Recorded(NullEventSink):
    """An event sink that keeps its events."""

    def __init__(self) -> None:
        self.events: list[e.AnyEvent] = []

    def post(self, event: e.AnyEvent) -> e.AnyEvent:
        self.events.append(event)
        return event


class BlobStore:
    """A blob store in memory."""

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}

    def put(self, data: bytes) -> str:
        return self.data.setdefault(digest(data), data) and digest(data)

    def get(self, name: str) -> bytes | None:
        return self.data.get(name)


def opening() -> list[dict[str, Any]]:
    return [{"role": "system", "content": "You work."}, {"role": "user", "content": "a task"}]


async def test_an_agent_needs_a_model_and_an_environment_alone() -> None:
    sandbox = Counting()
    async with ToolEnvironment(sandbox) as environment:
        agent = Agent(
            model=Scripted(WORK),
            messages=opening(),
            tools=environment.tools,
            executor=environment,
        )
        assert await agent.run() == AgentResult("submitted")
        assert sandbox.there
    assert not sandbox.there
    assert sandbox.scans == 0
    assert [command for command, _ in sandbox.commands] == ["ls"]
    assert "a file" in agent.messages[3]["content"]


async def test_each_step_has_a_seed_of_its_own() -> None:
    """With one seed for all, a conversation that hardly changes would draw the same reply again."""
    for seed, sent in ((7, [7, 8]), (None, [None, None])):
        model = Scripted(WORK)
        async with ToolEnvironment(Counting()) as environment:
            agent = Agent(
                model=model,
                messages=opening(),
                tools=environment.tools,
                executor=environment,
                seed=seed,
            )
            assert (await agent.run()).reason == "submitted"
        assert [request.seed for request in model.requests] == sent


async def test_a_custom_policy_makes_the_replies() -> None:
    sandbox = Counting()
    environment = ToolEnvironment(sandbox)
    agent = Agent(model=None, messages=opening(), tools=environment.tools, executor=environment)
    first = await agent.begin_turn()
    assert first.messages[-1]["content"] == "a task\nSteps Remaining: 100"
    turn = await agent.finish_turn(WORK[0])
    assert turn.result is None
    assert [observation.ok for observation in turn.observations] == [True]
    assert agent.limit_reached() is None
    second = await agent.begin_turn()
    assert list(second.messages)[: len(first.messages)] == list(first.messages)
    turn = await agent.finish_turn(WORK[1])
    assert turn.result == AgentResult("submitted")
    assert len(first.messages) == 2
    with pytest.raises(RuntimeError, match="no model"):
        await agent.ask(second)


async def test_a_limit_ends_it_between_turns() -> None:
    agent = Agent(model=None, messages=opening(), limits=e.Limits(max_steps=1))
    await agent.begin_turn()
    await agent.finish_turn(saying("hm"))
    reached = agent.limit_reached()
    assert reached is not None
    assert reached.reason == "max_steps"


async def test_an_answer_that_is_cut_off_is_no_submission() -> None:
    policy = e.TurnPolicy(no_call="final_answer")
    agent = Agent(model=None, messages=opening(), turn_policy=policy)
    await agent.begin_turn()
    turn = await agent.finish_turn(replace(saying("so 6 times"), finish_reason="length"))
    assert turn.result is not None
    assert (turn.result.reason, turn.result.answer) == ("token_limit", "so 6 times")
    assert "cut off" in (turn.result.error or "")


@pytest.mark.parametrize("no_call", ["remind", "final_answer"])
@pytest.mark.parametrize("steps_remaining", [True, False])
async def test_the_turn_policy_holds_and_the_conversation_can_be_rebuilt(
    no_call: Any, steps_remaining: bool
) -> None:
    policy = e.TurnPolicy(no_call=no_call, steps_remaining=steps_remaining)
    sink = Recorded()
    model = Scripted([saying("42"), calling(("submit", {}))])
    tools: Sequence[Tool] = DEFAULT_TOOLS
    agent = Agent(
        model=model,
        messages=opening(),
        tools=tools,
        executor=ToolEnvironment(Counting()),
        turn_policy=policy,
        events=sink,
    )
    ended = await agent.run()
    if no_call == "remind":
        assert ended == AgentResult("submitted")
        assert agent.messages[3]["content"].startswith(texts.no_call(texts.DEFAULT_TOOL_NAMES))
    else:
        assert ended == AgentResult("submitted", answer="42")
        assert len(model.requests) == 1
        assert agent.messages[-1] == {"role": "assistant", "content": "42"}
    sent = str(model.requests[0].messages[-1]["content"])
    assert ("Steps Remaining: 100" in sent) == steps_remaining
    began = e.RunStarted(
        schema=1,
        run_id="r",
        started_at=0.0,
        task="a task",
        model="scripted",
        model_params={},
        sandbox="fake",
        sandbox_info={},
        prompt_pack="",
        system_prompt="You work.",
        instance_prompt="a task",
        working_dir="/testbed",
        input_dir="/testbed/input",
        output_dir="/testbed/output",
        limits=e.Limits(),
        settings=e.RunSettings(turn_policy=policy),
    )
    assert conversation([began, *sink.events]) == agent.messages
    asked = [event for event in sink.events if isinstance(event, e.ModelAsked)]
    assert asked[0].digest == messages_digest(list(model.requests[0].messages))


def run_of(sandbox: Counting, model: Scripted, blobs: BlobStore, **more: Any) -> Run:
    fields = {"run_id": "r", "task": "a task", "watch": more.pop("watch", "off")}
    spec = RunSpec(**fields, files=more.pop("files", {}))
    return Run(spec, model=model, sandbox=sandbox, pack=load_pack("general"), blobs=blobs, **more)


@pytest.mark.parametrize(("watch", "scans"), [("off", 0), ("at_end", 2), ("live", 4)])
async def test_a_run_that_is_not_watched_costs_no_scan(watch: str, scans: int) -> None:
    sandbox = Counting()
    run = run_of(sandbox, Scripted(WORK), BlobStore(), watch=watch)
    seen = [event async for event in run.events()]
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
    assert sandbox.scans == scans  # at the start, after each of the two calls, at the end
    assert any(isinstance(event, e.FilesListed) for event in seen) == (watch != "off")


async def test_a_scorer_looks_at_the_sandbox_before_it_is_closed() -> None:
    sandbox, scored = Counting(), list[tuple[bool, str, bytes]]()

    async def score(environment: ToolEnvironment, ended: AgentResult) -> None:
        data = await environment.sandbox.read_file("/testbed/input/data.txt")
        scored.append((sandbox.there, ended.reason, data))
        environment.events.post(e.Warned(text="scored"))

    blobs = BlobStore()
    run = run_of(sandbox, Scripted(WORK), blobs, files={"data.txt": b"1 2 3"}, on_finished=score)
    seen = [event async for event in run.events()]
    assert scored == [(True, "submitted", b"1 2 3")]
    assert isinstance(seen[-2], e.Warned)
    assert isinstance(seen[-1], e.RunFinished)
    assert not sandbox.there
    started = seen[0]
    assert isinstance(started, e.RunStarted)
    assert started.settings is not None
    assert blobs.data == {started.settings.files["data.txt"]: b"1 2 3"}


async def test_a_scorer_that_fails_is_a_warning() -> None:
    async def score(environment: ToolEnvironment, ended: AgentResult) -> None:
        raise ValueError("no such grader")

    run = run_of(Counting(), Scripted(WORK), BlobStore(), on_finished=score)
    seen = [event async for event in run.events()]
    warned = [event.text for event in seen if isinstance(event, e.Warned)]
    assert any("no such grader" in text for text in warned)
    assert seen[-1].reason == "submitted"  # type: ignore[union-attr]


async def test_a_sandbox_and_a_model_outlive_a_run_that_does_not_own_them() -> None:
    sandbox, model = Counting(), Scripted([*WORK, *WORK])
    async with ToolEnvironment(sandbox):
        for _ in range(2):
            run = run_of(sandbox, model, BlobStore(), owns_sandbox=False, owns_model=False)
            seen = [event async for event in run.events()]
            assert seen[-1].reason == "submitted"  # type: ignore[union-attr]
            assert sandbox.there
            assert not model.closed
