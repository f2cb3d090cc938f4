"""A model's generator is closed before its reader goes on, however the reading ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import pytest

from sandbox_tui.core.agent.request_with_retries import RequestWithRetries
from sandbox_tui.core.agent.tool_format_model import ToolFormatModel
from sandbox_tui.core.agent.try_tool_calls import try_tool_calls
from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.events.sink import EventSink, NullEventSink
from sandbox_tui.core.events.types import ModelDelta, ToolFormat
from sandbox_tui.core.models.base import Delta, Model, RawToolCall, Reply, ReplyPart, Request
from sandbox_tui.core.models.demo_model import DemoModel
from sandbox_tui.core.models.openai_compatible import OpenAIModel
from tests import scripted_server as s
from tests.abandoned_generators import abandoned_generators

Start = Callable[..., s.ScriptedServer]
Wrap = Callable[[Model], Model]

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
WITHOUT_TOOLS = Request(messages=[{"role": "user", "content": "hi"}], tools=())
WITH_TOOLS = Request(messages=[{"role": "user", "content": "hi"}], tools=[TOOL])
CALL = RawToolCall(id="a", name="say_hello", arguments="{}")


class Guarded:
    """A model that counts its open generators; closing one takes a turn of the event loop.

    `ask` is typed as an iterator, as in extensions that were written for earlier versions.
    """

    name = "guarded"

    def __init__(self) -> None:
        self.params: dict[str, Any] = {}
        self.open = 0
        self.open_when_asked: list[int] = []

    async def ask(self, request: Request) -> AsyncIterator[ReplyPart]:
        self.open_when_asked.append(self.open)
        self.open += 1
        try:
            yield Delta("text", "well")
            yield Reply(message={"role": "assistant", "content": "well"}, calls=(CALL,))
        finally:
            await asyncio.sleep(0)
            self.open -= 1

    async def close(self) -> None: ...


class FullJournal(NullEventSink):
    """A sink whose reader is far behind, at first."""

    def __init__(self) -> None:
        self.waits = asyncio.Event()

    async def wait_for_room(self) -> None:
        if not self.waits.is_set():
            self.waits.set()
            await asyncio.Event().wait()


class BrokenJournal(NullEventSink):
    """A sink that cannot store a fragment."""

    def post_delta(self, delta: ModelDelta) -> None:
        raise OSError("no space left")


def plain(model: Model) -> Model:
    return model


def native(model: Model) -> Model:
    return ToolFormatModel(model, "native")


def auto(model: Model) -> Model:
    return ToolFormatModel(model, "auto")


def text(model: Model) -> Model:
    return ToolFormatModel(model, "auto", ToolFormat(mode="text", family="hermes"))


def requests_of(model: Model, events: EventSink) -> RequestWithRetries:
    return RequestWithRetries(model, events, max_tokens=None, retry_base=0.0)


async def reply_of(requests: RequestWithRetries, request: Request = WITH_TOOLS) -> Reply:
    async def same(_attempt: int) -> Request:
        return request

    return await requests.reply(1, request, same)


wrapped = pytest.mark.parametrize("wrap", [plain, native, auto, text])


# --- the agent's requests


@pytest.mark.parametrize("request_", [WITH_TOOLS, WITHOUT_TOOLS], ids=["tools", "no tools"])
@wrapped
async def test_the_generator_is_closed_when_the_reply_is_returned(
    wrap: Wrap, request_: Request
) -> None:
    model = Guarded()
    await reply_of(requests_of(wrap(model), NullEventSink()), request_)
    assert model.open == 0


@wrapped
async def test_the_generator_is_closed_when_the_request_is_cancelled(wrap: Wrap) -> None:
    model, events = Guarded(), FullJournal()
    asking = asyncio.create_task(reply_of(requests_of(wrap(model), events)))
    await events.waits.wait()
    assert model.open == 1
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert model.open == 0


@wrapped
async def test_the_generator_is_closed_before_an_interrupted_reply_is_requested_again(
    wrap: Wrap,
) -> None:
    model, events = Guarded(), FullJournal()
    requests = requests_of(wrap(model), events)
    asking = asyncio.create_task(reply_of(requests))
    await events.waits.wait()
    assert requests.interrupt()
    await asking
    assert model.open_when_asked == [0, 0]
    assert model.open == 0


@wrapped
async def test_the_generator_is_closed_when_its_reader_fails(wrap: Wrap) -> None:
    model = Guarded()
    with pytest.raises(OSError, match="no space"):
        await reply_of(requests_of(wrap(model), BrokenJournal()))
    assert model.open == 0


async def test_the_generator_is_closed_after_a_trial_of_a_call() -> None:
    model = Guarded()
    assert (await try_tool_calls(model)).works
    assert model.open == 0


# --- the models' own generators

X = s.chunk({"content": "x"})
END = s.chunk({}, "stop")

COMPLETE = {
    "streamed": s.call("look"),
    "streamed without an end": s.stream(X, END),
    "whole": s.whole({"role": "assistant", "content": "x"}),
    "goes on after its end": s.stream(X, END, s.DONE, b"x" * 200_000),
}
BROKEN = {
    "an error inside": s.stream(X, b'data: {"error": {"message": "no"}}\n\n', X, END),
    "not JSON": s.stream(X, b"data: {\n\n", X, END),
    "cut off": s.stream(X),
}


@pytest.mark.parametrize("body", COMPLETE.values(), ids=COMPLETE.keys())
async def test_a_response_leaves_no_generator_open(
    scripted_server: Start, body: s.Scripted
) -> None:
    model = OpenAIModel(ModelSettings(name="m", base_url=scripted_server(body).url), None)
    with abandoned_generators() as abandoned:
        await reply_of(requests_of(auto(model), NullEventSink()))
        await model.close()
    assert abandoned == []


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
async def test_a_broken_response_leaves_no_generator_open(
    scripted_server: Start, body: s.Scripted
) -> None:
    model = OpenAIModel(ModelSettings(name="m", base_url=scripted_server(body).url), None)
    with abandoned_generators() as abandoned:
        with pytest.raises(ModelError):
            await reply_of(requests_of(auto(model), NullEventSink()))
        await model.close()
    assert abandoned == []


async def test_a_response_left_in_the_middle_leaves_no_generator_open(
    scripted_server: Start,
) -> None:
    server = scripted_server(s.stream(s.chunk({"content": "x"}), 30.0))
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url), None)
    with abandoned_generators() as abandoned:
        async with aclosing(model.ask(WITH_TOOLS)) as parts:
            assert await anext(parts) == Delta("text", "x")
        await model.close()
    assert abandoned == []


async def test_the_demo_left_in_the_middle_leaves_no_generator_open() -> None:
    with abandoned_generators() as abandoned:
        async with aclosing(DemoModel(speed=0).ask(WITH_TOOLS)) as parts:
            await anext(parts)
    assert abandoned == []
