"""The model client against a real server that does all that servers do."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from sandbox_tui.core.config import ModelSettings
from sandbox_tui.core.errors import ContextOverflow, ModelError, ModelIncomplete
from sandbox_tui.core.models.base import Delta, Reply, Request
from sandbox_tui.core.models.openai import OpenAIModel
from tests import scripted_server as s

KEY = "sk-verysecretkey123456"
Start = Callable[..., s.ScriptedServer]
QUESTION = Request(messages=[{"role": "user", "content": "hi"}], tools=[], max_tokens=50)


async def ask(server: s.ScriptedServer, **settings: object) -> tuple[list[Delta], Reply]:
    model = OpenAIModel(ModelSettings(name="m", base_url=server.url, **settings), KEY)
    try:
        parts = [part async for part in model.ask(QUESTION)]
    finally:
        await model.close()
    assert isinstance(parts[-1], Reply)
    return [part for part in parts[:-1] if isinstance(part, Delta)], parts[-1]


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
async def test_text_and_reasoning_stream(scripted_server: Start, key: str) -> None:
    server = scripted_server(s.say("hello world", reasoning="let me think", key=key))
    deltas, reply = await ask(server, temperature=0.5, extra_body={"top_k": 20})
    assert reply.text == "hello world"
    assert reply.reasoning == "let me think"
    assert "".join(d.text for d in deltas if d.channel == "text") == "hello world"
    assert reply.usage.input_tokens == 100
    assert reply.message["role"] == "assistant"
    sent = server.requests[0]
    assert (sent["temperature"], sent["top_k"], sent["max_tokens"]) == (0.5, 20, 50)
    assert server.authorizations == [f"Bearer {KEY}"]


async def test_calls_arrive_in_fragments(scripted_server: Start) -> None:
    wanted = [("execute_bash", '{"command": "ls -la /"}'), ("submit", "{}")]
    deltas, reply = await ask(scripted_server(s.calls(*wanted)))
    assert [(c.name, c.arguments) for c in reply.calls] == wanted
    assert [d.name for d in deltas if d.name] == ["execute_bash", "submit"]
    assert reply.message["tool_calls"][1]["function"]["name"] == "submit"


async def test_ten_calls_at_once(scripted_server: Start) -> None:
    wanted = [("execute_bash", json.dumps({"command": f"echo {n}"})) for n in range(10)]
    _, reply = await ask(scripted_server(s.calls(*wanted)))
    assert [(c.name, c.arguments) for c in reply.calls] == wanted


async def test_calls_without_an_index_are_kept_apart(scripted_server: Start) -> None:
    def piece(identity: str | None, name: str | None, arguments: str) -> bytes:
        function = {"arguments": arguments, **({"name": name} if name else {})}
        return s.chunk({"tool_calls": [{"id": identity, "function": function}]})

    pieces = [piece("a", "one", '{"x"'), piece(None, None, ": 1}"), piece("b", "two", "{}")]
    _, reply = await ask(scripted_server(s.Scripted([*pieces, s.chunk({}, "tool_calls"), s.DONE])))
    assert [(c.id, c.name, c.arguments) for c in reply.calls] == [
        ("a", "one", '{"x": 1}'),
        ("b", "two", "{}"),
    ]


async def test_a_call_cut_by_the_token_limit_is_marked(scripted_server: Start) -> None:
    pieces = [*s.fragments(0, "execute_bash", '{"command": "ls', "a"), s.chunk({}, "length")]
    _, reply = await ask(scripted_server(s.Scripted([*pieces, s.DONE])))
    assert reply.calls[0].cut
    json.loads(reply.message["tool_calls"][0]["function"]["arguments"])


async def test_no_done_after_the_finish_reason_is_fine(scripted_server: Start) -> None:
    _, reply = await ask(
        scripted_server(s.Scripted([s.chunk({"content": "x"}), s.chunk({}, "stop")]))
    )
    assert reply.text == "x"


async def test_a_server_that_answers_json(scripted_server: Start) -> None:
    body = {
        "choices": [
            {"message": {"role": "assistant", "content": "whole"}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1},
    }
    reply = s.Scripted([json.dumps(body).encode()], content_type="application/json")
    _, got = await ask(scripted_server(reply))
    assert (got.text, got.usage.input_tokens) == ("whole", 3)


async def test_a_server_that_refuses_stream_options(scripted_server: Start) -> None:
    refusal = s.failure(400, "Unknown field: stream_options")
    server = scripted_server(refusal, s.say("fine"))
    _, reply = await ask(server)
    assert reply.text == "fine"
    assert "stream_options" not in server.requests[1]


async def test_a_server_that_cannot_stream(scripted_server: Start) -> None:
    body = {"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]}
    whole = s.Scripted([json.dumps(body).encode()], content_type="application/json")
    server = scripted_server(
        s.failure(400, "stream_options is not known"), s.failure(400, "stream not supported"), whole
    )
    _, reply = await ask(server)
    assert reply.text == "whole"
    assert "stream" not in server.requests[2]


async def test_lone_surrogates_do_not_survive(scripted_server: Start) -> None:
    piece = (
        b'data: {"choices":[{"index":0,"delta":{"content":"a\\ud800b"},"finish_reason":null}]}\n\n'
    )
    _, reply = await ask(scripted_server(s.Scripted([piece, s.chunk({}, "stop"), s.DONE])))
    assert reply.text == "a\ufffdb"


BROKEN = {
    "ends in mid-call": s.Scripted(s.fragments(0, "execute_bash", '{"command": "ls"}', "a")[:2]),
    "nothing at all": s.Scripted([]),
    "only done": s.Scripted([s.DONE]),
    "null choices": s.Scripted([b'data: {"choices": null}\n\n', s.DONE]),
    "bad json": s.Scripted([s.chunk({"content": "x"}), b"data: {oops\n\n", s.DONE]),
    "empty reply": s.Scripted([s.chunk({}, "stop"), s.DONE]),
    "no choices in json": s.Scripted([b"{}"], content_type="application/json"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_an_incomplete_reply_is_an_error_of_its_own(
    scripted_server: Start, name: str
) -> None:
    with pytest.raises(ModelIncomplete) as caught:
        await ask(scripted_server(BROKEN[name]))
    assert caught.value.retryable


async def test_an_error_in_mid_stream(scripted_server: Start) -> None:
    pieces = [s.chunk({"content": "x"}), b'data: {"error": {"message": "boom", "code": 500}}\n\n']
    with pytest.raises(ModelError, match="boom"):
        await ask(scripted_server(s.Scripted(pieces)))


async def test_a_web_page_instead_of_a_reply(scripted_server: Start) -> None:
    page = s.Scripted([b"<html><body>login</body></html>"], content_type="text/html")
    with pytest.raises(ModelError, match="web page") as caught:
        await ask(scripted_server(page))
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("status", "retryable", "words"),
    [
        (400, False, "400"),
        (401, False, "OPENAI_API_KEY"),
        (403, False, "not allow"),
        (404, False, "'m'"),
        (429, True, "too often"),
        (500, True, "500"),
        (503, True, "503"),
    ],
)
async def test_each_status_says_what_to_do(
    scripted_server: Start, status: int, retryable: bool, words: str
) -> None:
    server = scripted_server(s.failure(status, f"your key {KEY} is bad"))
    with pytest.raises(ModelError, match=words) as caught:
        await ask(server)
    assert (caught.value.status, caught.value.retryable) == (status, retryable)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(("value", "low", "high"), [("7", 7, 7), ("3600", 3600, 3600)])
async def test_retry_after_in_seconds(
    scripted_server: Start, value: str, low: float, high: float
) -> None:
    with pytest.raises(ModelError) as caught:
        await ask(scripted_server(s.failure(429, retry_after=value)))
    assert caught.value.retry_after is not None
    assert low <= caught.value.retry_after <= high


async def test_retry_after_as_a_date(scripted_server: Start) -> None:
    with pytest.raises(ModelError) as caught:
        await ask(scripted_server(s.failure(503, retry_after="Fri, 31 Dec 1999 23:59:59 GMT")))
    assert caught.value.retry_after == 0


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 8192 tokens, however you requested 9000",
        "The input (70000 tokens) is longer than the model's context length (65536 tokens).",
        "the request exceeds the available context size. try increasing the context size",
        "prompt is too long: 210000 tokens > 200000 maximum",
    ],
)
async def test_context_overflow_in_the_words_of_each_server(
    scripted_server: Start, words: str
) -> None:
    with pytest.raises(ContextOverflow):
        await ask(scripted_server(s.failure(400, words)))


async def test_a_stalled_server_is_given_up_in_the_time_we_set(scripted_server: Start) -> None:
    with pytest.raises(ModelError, match=r"within 0\.3 s") as caught:
        await ask(scripted_server(s.Scripted([30.0])), stall_timeout=0.3)
    assert caught.value.retryable


async def test_a_dripping_server_meets_the_deadline(scripted_server: Start) -> None:
    drip = [piece for _ in range(200) for piece in (s.chunk({"content": "."}), 0.1)]
    with pytest.raises(ModelError, match=r"within 0\.6 s"):
        await ask(scripted_server(s.Scripted(drip)), request_timeout=0.6, stall_timeout=5)


async def test_nobody_listens() -> None:
    model = OpenAIModel(ModelSettings(name="m", base_url="http://127.0.0.1:9/v1"), KEY)
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        async for _ in model.ask(QUESTION):
            pass
    await model.close()
    assert caught.value.retryable
