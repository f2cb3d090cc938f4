"""The agent's requests to a real server: attempts, interruptions, limits, a slow reader."""

from __future__ import annotations

import asyncio
import itertools
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import pytest

from sandbox_tui.core.agent.approval_gate import Gate
from sandbox_tui.core.agent.loop import Agent
from sandbox_tui.core.agent.model_messages import DEFAULT_TOOL_NAMES, cut_off, no_call
from sandbox_tui.core.agent.request_with_retries import MAX_BACK_OFF_SECONDS, MIN_REPLY_TOKENS
from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.journal import MAX_PENDING_EVENTS, Journal
from sandbox_tui.core.events.run_state import ReplyItem, RunState, fold
from sandbox_tui.core.models import pricing as prices
from sandbox_tui.core.models.base import Delta, Model, Reply, Request
from sandbox_tui.core.models.http import server_return
from sandbox_tui.core.models.openai_compatible import OpenAIModel
from sandbox_tui.core.policy.rules import Policy
from tests import scripted_server as s
from tests.waiting import HANG_SECONDS

Start = Callable[..., s.ScriptedServer]
TOO_MUCH = s.failure(400, "maximum context length is 8192 tokens")


class AgentUnderTest:
    """An agent without tools, and the events it writes.

    Attributes:
        events: the events so far, recorded as they are posted, ahead of the journal's reader.
    """

    def __init__(self, model: Any, *, retry_base: float = 0.0, **limits: Any) -> None:
        self.journal = Journal()
        self.events: list[e.AnyEvent] = []
        self.journal.observers.append(self.events.append)
        self.agent = Agent(
            model=model,
            messages=[{"role": "user", "content": "a task"}],
            limits=e.Limits(**limits),
            approver=Gate(self.journal.post, Policy()),
            events=self.journal,
            retry_base=retry_base,
        )

    async def step(self) -> None:
        """Run one turn."""
        await self.agent.finish_turn(await self.agent.ask(await self.agent.begin_turn()))

    def only(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def model_of(server: s.ScriptedServer, name: str = "m") -> OpenAIModel:
    return OpenAIModel(ModelSettings(name=name, base_url=server.url), None)


async def steps(count: int, server: s.ScriptedServer, **limits: Any) -> AgentUnderTest:
    """Run `count` turns while a reader drains the journal."""
    asking = AgentUnderTest(model_of(server), **limits)
    reader = asyncio.create_task(drain(asking.journal))
    try:
        for _ in range(count):
            await asking.step()
    finally:
        asking.journal.close()
        await reader
        await asking.agent._model.close()
    return asking


async def drain(journal: Journal) -> None:
    async with aclosing(journal.read()) as events:  # type: ignore[type-var]
        async for _ in events:
            pass


# --- attempts


async def test_asking_for_less_uses_up_no_attempt(scripted_server: Start) -> None:
    busy = s.failure(503, "busy", retry_after="0")
    server = scripted_server(*[TOO_MUCH] * 5, *[busy] * 4, s.say("fits"))
    asking = await steps(1, server, max_tokens=131072)
    assert [request["max_tokens"] for request in server.requests] == [
        *(131072, 65536, 32768, 16384, 8192),
        *[MIN_REPLY_TOKENS] * 5,
    ]
    assert asking.only(e.ModelReplied)[0].text == "fits"


async def test_a_reply_that_was_cut_short_is_given_its_room_again(scripted_server: Start) -> None:
    cut = s.Scripted([s.chunk({"content": "I was abou"}), s.chunk({}, "length"), s.DONE])
    server = scripted_server(TOO_MUCH, s.say("fits"), cut, s.say("whole"))
    await steps(3, server, max_tokens=16384)
    asked = [request["max_tokens"] for request in server.requests]
    assert asked == [16384, 8192, 8192, 16384]


async def test_requests_for_less_are_limited(scripted_server: Start) -> None:
    server = scripted_server(TOO_MUCH)
    with pytest.raises(ModelError):
        await steps(1, server, max_tokens=MIN_REPLY_TOKENS * 2)
    assert len(server.requests) == 2


# --- a reply without a call


async def test_the_reminder_is_recorded_with_the_reply(scripted_server: Start) -> None:
    cut = s.Scripted([s.chunk({"content": "I was abou"}), s.chunk({}, "length"), s.DONE])
    asking = await steps(2, scripted_server(s.say("words"), cut))
    assert [event.reminder for event in asking.only(e.ModelReplied)] == [
        no_call(DEFAULT_TOOL_NAMES),
        cut_off(DEFAULT_TOOL_NAMES),
    ]
    first, second = (item for item in fold(asking.events).items if isinstance(item, ReplyItem))
    assert first.remark == "No tool was called; the model was reminded."
    assert second.remark == "Cut off at the token limit; the model was told."


async def test_with_a_call_there_is_nothing_to_remark(scripted_server: Start) -> None:
    asking = await steps(1, scripted_server(s.call("submit")))
    assert asking.only(e.ModelReplied)[0].reminder is None
    assert fold(asking.events).reply.remark == ""  # type: ignore[union-attr]


# --- interrupted replies


async def test_the_text_of_a_stopped_reply_stays(scripted_server: Start) -> None:
    stalled = s.stream(s.chunk({"content": "I would rather"}), 3600.0)
    server = scripted_server(stalled, s.failure(503, retry_after="0"), s.call("submit"))
    asking = AgentUnderTest(model_of(server))

    def stop(event: e.AnyEvent) -> None:
        if isinstance(event, e.ModelDelta) and event.text == "I would rather":
            assert asking.agent.interrupt_reply()

    asking.journal.observers.append(stop)
    reader = asyncio.create_task(drain(asking.journal))
    await asking.step()
    asking.journal.close()
    await reader
    await asking.agent._model.close()
    assert [event.error for event in asking.only(e.ModelFailed)] == [
        "The server returned an error (503). It says: no"
    ]
    assert [event.attempt for event in asking.only(e.ModelAsked)] == [1, 1, 2]
    stopped, second = (i for i in fold(asking.events).items if isinstance(i, ReplyItem))
    assert (stopped.text, stopped.remark) == ("I would rather", "You stopped the reply.")
    assert (stopped.failures, stopped.replied) == ([], None)
    assert second.replied is not None
    assert len(second.failures) == 1
    assert server.requests[0]["messages"] == server.requests[2]["messages"]
    (counted,) = asking.only(e.PartialReplyCounted)  # what was stopped; 503 brought nothing
    assert counted.usage.estimated
    assert counted.usage.output_tokens == len("I would rather") // 4
    assert counted.usage.input_tokens >= len("a task") // 4
    replied = second.replied.usage
    assert fold(asking.events).totals.usage == counted.usage + replied


def test_the_unfinished_call_of_a_stopped_reply_is_dropped() -> None:
    state = RunState()
    state.apply(e.ModelDelta(step=1, channel="call", text="{", name="execute_bash"))
    state.apply(e.ReplyInterrupted(step=1))
    assert state.reply is not None
    assert (state.reply.ended, state.reply.writing) == (True, {})


# --- a server that is away


def refusing() -> socket.socket:
    """A port that refuses connections until `listen` is called."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    return taken


async def test_a_server_that_is_back_is_asked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_return, "PROBE_SECONDS", 0.05)
    with refusing() as taken:
        port = taken.getsockname()[1]
    settings = ModelSettings(name="m", base_url=f"http://127.0.0.1:{port}/v1")
    asking = AgentUnderTest(OpenAIModel(settings, None), retry_base=1_000.0)
    failed = asyncio.Event()
    asking.journal.observers.append(
        lambda event: failed.set() if isinstance(event, e.ModelFailed) else None
    )
    reader = asyncio.create_task(drain(asking.journal))
    step = asyncio.create_task(asking.step())
    await asyncio.wait_for(failed.wait(), HANG_SECONDS)
    (failure,) = asking.only(e.ModelFailed)
    assert failure.retry_in == MAX_BACK_OFF_SECONDS
    with s.ScriptedServer([s.say("back")], port=port) as server:
        await asyncio.wait_for(step, MAX_BACK_OFF_SECONDS / 2)
        assert len(server.requests) == 1
    asking.journal.close()
    await reader
    await asking.agent._model.close()
    assert [event.attempt for event in asking.only(e.ModelAsked)] == [1, 2]


async def test_a_server_that_accepts_at_once_failed_for_another_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As with TLS, or a proxy: asked sooner, the attempts would be used up in seconds."""
    accepts, probed = server_return.accepts, asyncio.Event()

    async def probe(server: tuple[str, int]) -> bool:
        accepted = await accepts(server)
        probed.set()
        return accepted

    monkeypatch.setattr(server_return, "accepts", probe)
    with refusing() as taken:
        taken.listen()
        waiting = asyncio.create_task(server_return.until_it_accepts(taken.getsockname()))
        await asyncio.wait_for(probed.wait(), HANG_SECONDS)
        monkeypatch.setattr(server_return, "PROBE_SECONDS", 0.0)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waiting, 0.1)


def test_the_host_and_port_of_an_address() -> None:
    assert server_return.host_and_port("http://localhost:8000/v1") == ("localhost", 8000)
    assert server_return.host_and_port("https://user:word@a.example/v1") == ("a.example", 443)
    assert server_return.host_and_port("http://[::1]:80/v1") == ("::1", 80)
    assert server_return.host_and_port("http://a:port/v1") is None
    assert server_return.host_and_port("") is None


# --- limits that cannot be enforced


def uncounted(text: str) -> s.Scripted:
    return s.stream(s.chunk({"content": text}), s.chunk({}, "stop"), s.DONE)


async def test_limits_on_estimates_are_reported_once(scripted_server: Start) -> None:
    server = scripted_server(uncounted("a"), uncounted("b"))
    asking = await steps(2, server, token_limit=5000, cost_limit=2.0)
    tokens, cost = (event.text for event in asking.only(e.Warned))
    assert tokens.startswith(
        "token_limit (5000) is checked against an estimate: the server does not"
    )
    assert cost.startswith("cost_limit ($2) cannot be enforced: the server does not report")


async def test_a_limit_without_a_price_is_said_not_to_hold(scripted_server: Start) -> None:
    server = scripted_server(s.say("a"), s.say("b"))
    asking = await steps(2, server, token_limit=5000, cost_limit=0.5)
    (warned,) = asking.only(e.Warned)
    assert warned.text == (
        "cost_limit ($0.5) cannot be enforced: the price of m on this server is unknown. Use "
        "token_limit instead."
    )


async def test_prices_that_are_not_installed_are_named(
    scripted_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prices, "_library", lambda: None)
    asking = await steps(1, scripted_server(s.say("a")), cost_limit=0.5)
    (warned,) = asking.only(e.Warned)
    assert "pip install 'sandbox-tui[prices]'." in warned.text


async def test_without_limits_nothing_is_reported(scripted_server: Start) -> None:
    assert (await steps(1, scripted_server(uncounted("a")))).only(e.Warned) == []


# --- prices

USAGE = e.Usage(input_tokens=1_000_000, output_tokens=0)


def test_a_price_is_that_of_the_server() -> None:
    hosted = prices.cost("gpt-4o", "", USAGE)
    assert hosted == prices.cost("gpt-4o", "https://api.openai.com/v1", USAGE)
    assert hosted is not None
    assert hosted > 0


@pytest.mark.parametrize(
    ("model", "base_url", "usage"),
    [
        ("gpt-4o", "http://127.0.0.1:8000/v1", USAGE),  # self-hosted: no known price
        ("gpt-4o", None, USAGE),
        ("no-such-model", "", USAGE),
        ("gpt-4o", "", e.Usage()),
    ],
)
def test_an_unknown_price_is_not_zero(model: str, base_url: str | None, usage: e.Usage) -> None:
    assert prices.cost(model, base_url, usage) is None


def test_more_cached_than_read_is_a_server_that_counts_otherwise() -> None:
    assert prices.cost("gpt-4o", "", e.Usage(input_tokens=5, cached_tokens=9)) is not None


# --- a slow reader


class Flooding(Model):
    """A model that switches between reasoning and text with every delta."""

    name = "flooding"

    def __init__(self) -> None:
        self.params: dict[str, Any] = {}

    async def ask(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        """See `Model.ask`."""
        for _, channel in zip(range(20_000), itertools.cycle(["text", "reasoning"]), strict=False):
            yield Delta(channel, "x")  # type: ignore[arg-type]
        yield Reply(message={"role": "assistant", "content": "x"}, text="x")

    async def close(self) -> None:
        """See `Model.close`."""


async def test_a_flood_of_pieces_waits_for_the_reader() -> None:
    """Otherwise many events would be left to store when a run is ended in the middle of a flood."""
    asking = AgentUnderTest(Flooding())
    step = asyncio.create_task(asking.step())
    read = behind = 0
    async for _ in asking.journal.read():
        read += 1
        behind = max(behind, len(asking.events) - read)
        if step.done() and read >= len(asking.events):
            asking.journal.close()
        await asyncio.sleep(0)
    await step
    assert len(asking.only(e.ModelDelta)) == 20_000
    assert behind <= MAX_PENDING_EVENTS + 2
