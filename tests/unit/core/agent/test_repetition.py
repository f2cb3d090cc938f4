"""A model that repeats the same call."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from sandbox_tui.core.agent.loop import Agent
from sandbox_tui.core.agent.message_queue import MessageQueue
from sandbox_tui.core.agent.repetition import RepetitionCounter, counter_after
from sandbox_tui.core.environment.tool_environment import ToolEnvironment
from sandbox_tui.core.events import types as e
from sandbox_tui.core.models.base import Delta, Reply, Request
from sandbox_tui.core.tools.registry import DEFAULT_TOOLS
from tests.fakes import FakeSandbox, result
from tests.unit.core.agent.test_headless_agent import Scripted, calling

LOOK = ("execute_bash", {"command": "cat log"})


class Recording:
    """An event sink that keeps the events it receives."""

    def __init__(self) -> None:
        self.events: list[e.AnyEvent] = []

    def post(self, event: e.AnyEvent) -> None:
        self.events.append(event)

    def post_delta(self, delta: e.ModelDelta) -> None:
        self.events.append(delta)

    def output(self, *_: object, **__: object) -> None: ...

    async def wait_durable(self) -> None: ...

    async def wait_for_room(self) -> None: ...


def call(number: int, arguments: str, name: str = "execute_bash") -> e.ToolCall:
    return e.ToolCall(number=number, step=number, id=f"c{number}", name=name, arguments=arguments)


async def run(
    *outputs: bytes,
    limit: int | None = None,
    queue: MessageQueue | None = None,
    kind: type[Scripted] = Scripted,
) -> tuple[Scripted, Recording, str]:
    """Run a model that reads the same file once per output, then submits.

    Returns:
        The model, the recorded events and the reason the run ended.
    """
    sandbox = FakeSandbox()
    sandbox.results = [result(output) for output in outputs]
    model = kind([*(calling(LOOK) for _ in outputs), calling(("submit", {}))])
    events = Recording()
    async with ToolEnvironment(sandbox) as environment:
        agent = Agent(
            model=model,
            messages=[{"role": "user", "content": "do it"}],
            tools=DEFAULT_TOOLS,
            executor=environment,
            limits=e.Limits(repeated_calls=limit),
            events=events,  # type: ignore[arg-type]
            queue=queue,
        )
        ended = await agent.run()
    return model, events, ended.reason


async def test_the_model_is_told_once() -> None:
    model, events, reason = await run(*[b"nothing yet\n"] * 6)
    assert reason == "submitted"
    notices = [
        m["content"]
        for m in model.requests[-1].messages
        if m["role"] == "user" and "3 times in a row" in m["content"]
    ]
    assert len(notices) == 1
    assert "execute_bash" in notices[0]
    (warned,) = [x.text for x in events.events if isinstance(x, e.Warned)]
    assert warned.startswith("Call 3 repeats the calls before it")


async def test_other_results_are_no_repetition() -> None:
    model, events, _ = await run(b"1\n", b"2\n", b"1\n", b"1\n", b"2\n")
    assert not [x for x in events.events if isinstance(x, e.Warned)]
    assert not any("in a row" in str(m) for m in model.requests[-1].messages)


async def test_a_limit_ends_the_run_with_its_own_reason() -> None:
    model, _, reason = await run(*[b"nothing yet\n"] * 9, limit=5)
    assert reason == "repeated_calls"
    assert len(model.requests) == 5
    assert e.EXIT_CODES["repeated_calls"] == 7


async def test_a_users_intervention_restarts_the_count() -> None:
    queue = MessageQueue()

    class Stepping(Scripted):
        async def ask(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
            if len(self.requests) == 2:
                queue.add(1, "keep waiting")
            async with aclosing(super().ask(request)) as parts:
                async for part in parts:
                    yield part

    model, _, reason = await run(*[b"nothing yet\n"] * 9, limit=4, queue=queue, kind=Stepping)
    assert reason == "repeated_calls"
    assert len(model.requests) == 3 + 4, "the message was read after the third call"


def test_arguments_are_compared_as_values() -> None:
    counter = RepetitionCounter()
    assert counter.count(call(1, '{"a": 1, "b": 2}'), "x") == 1
    assert counter.count(call(2, '{"b":2,"a":1}'), "x") == 2
    assert counter.count(call(3, '{"b":2,"a":1}', "other"), "x") == 1
    assert counter.count(call(4, "not json"), "x") == 1
    assert counter.count(call(5, "not json"), "x") == 2


def test_the_count_is_recovered_from_events() -> None:
    def answered(number: int) -> list[e.AnyEvent]:
        proposed = e.CallProposed(call=call(number, '{"command": "ls"}'))
        return [proposed, e.CallFinished(call=number, observation="x", ok=True)]

    assert counter_after([]).times == 0
    before = [*answered(1), *answered(2), *answered(3)]
    assert counter_after(before).times == 3
    assert counter_after([*before, e.Delivered(step=4, ids=(), text="told so")]).times == 3
    assert counter_after([*before, e.Delivered(step=4, ids=(7,), text="wait")]).times == 0
